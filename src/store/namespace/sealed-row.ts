/**
 * Seals the rows that affect decisions: a MAC over table, namespace, key and body, made with the store's secret. A row
 * that was modified, moved to another key or namespace, or written without the secret does not open.
 */

import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import { decodeStrictBase64 } from '../../files/strict-base64.ts';
import type { SqlValue } from '../database/database.ts';
import type { KeyRing } from '../../approvals/signing/key-ring.ts';

/** A primary key, without the namespace. */
export type RowKey = readonly (string | number)[];

export interface RowId {
  readonly table: string;
  readonly key: RowKey;
}

/** The two columns of a sealed row. */
export interface SealedColumns {
  readonly body: string;
  readonly mac: string;
}

export interface Sealer {
  /** Seals a body, which is JSON text. */
  seal(row: RowId, body: string): SealedColumns;
  /** Like `seal`, for the state of runs and sessions. Encrypts the body if the store was opened with `encrypt`. */
  sealState(row: RowId, body: string): SealedColumns;
  /** The body given to `seal` or `sealState`. Throws STORE_DAMAGED if the row was modified. */
  open(row: RowId, stored: { readonly body?: SqlValue; readonly mac?: SqlValue }): string;
}

export interface SealerOptions {
  readonly keys: KeyRing;
  readonly namespace: string;
  readonly encrypt: boolean;
}

/** The prefix of an encrypted body. JSON text never starts with it. */
const encryptedPrefix = 'aes-256-gcm:';
const nonceBytes = 12;
const tagBytes = 16;
const macDigits = 32;

export function createSealer({ keys, namespace, encrypt }: SealerOptions): Sealer {
  const rowSecret = keys.secret('rows');
  const stateSecret = keys.secret('state');

  // JSON text has no raw line break, so no other row and body produce the same input.
  const header = (row: RowId) => JSON.stringify([row.table, namespace, ...row.key]);
  const macOf = (row: RowId, body: string) =>
    createHmac('sha256', rowSecret)
      .update(`${header(row)}\n${body}`)
      .digest('hex')
      .slice(0, macDigits);

  const seal = (row: RowId, body: string): SealedColumns => ({ body, mac: macOf(row, body) });

  return {
    seal,
    sealState: (row, body) => seal(row, encrypt ? encryptBody(stateSecret, header(row), body) : body),
    open: (row, { body, mac }) => {
      if (typeof body !== 'string' || typeof mac !== 'string') throw damagedRow(row);
      const [made, stored] = [Buffer.from(macOf(row, body)), Buffer.from(mac)];
      if (made.length !== stored.length || !timingSafeEqual(made, stored)) throw damagedRow(row);
      if (!body.startsWith(encryptedPrefix)) return body;
      const plain = decryptBody(stateSecret, header(row), body);
      if (plain === undefined) throw damagedRow(row);
      return plain;
    },
  };
}

function encryptBody(secret: Uint8Array, additionalData: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(additionalData));
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return encryptedPrefix + Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64');
}

function decryptBody(secret: Uint8Array, additionalData: string, body: string): string | undefined {
  const bytes = decodeStrictBase64(body.slice(encryptedPrefix.length), 'base64');
  if (bytes === undefined || bytes.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(additionalData))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

export function damagedRow(
  { table, key }: RowId,
  what = 'it was modified, or sealed with another secret',
): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The row ${JSON.stringify(key)} of ${table} is damaged: ${what}. Bridle does not use it: restore the store from a ` +
      'backup, or delete the row.',
  );
}
