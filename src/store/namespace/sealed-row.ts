/**
 * Rows that decide something are sealed: a code over table, namespace, key and body that only a holder of the store's
 * secret can make. A row that was changed, moved to another key or namespace, or made elsewhere does not open.
 */

import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import { decodeStrictBase64 } from '../../files/strict-base64.ts';
import type { SqlValue } from '../database/database.ts';
import type { KeyRing } from '../../approvals/signing/key-ring.ts';

/** Which row it is: its table, and its primary key without the namespace. */
export interface RowId {
  readonly table: string;
  readonly key: readonly (string | number)[];
}

/** The two columns of a sealed row, as they are stored. */
export interface SealedColumns {
  readonly body: string;
  readonly mac: string;
}

export interface Sealer {
  /** The columns for a body, which is JSON text. */
  seal(row: RowId, body: string): SealedColumns;
  /** The same for what a run or session needs to go on: encrypted, if the store is to encrypt. */
  sealState(row: RowId, body: string): SealedColumns;
  /** The body as it was sealed, by either way; STORE_DAMAGED if the row is not what was written there. */
  open(row: RowId, stored: { readonly body?: SqlValue; readonly mac?: SqlValue }): string;
}

export interface SealerOptions {
  readonly keys: KeyRing;
  readonly namespace: string;
  readonly encrypt: boolean;
}

/** What an encrypted body begins with; JSON text never does. */
const encryptedPrefix = 'aes-256-gcm:';
const nonceBytes = 12;
const tagBytes = 16;
const macDigits = 32;

export function makeSealer({ keys, namespace, encrypt }: SealerOptions): Sealer {
  const rowSecret = keys.secret('rows');
  const stateSecret = keys.secret('state');

  // JSON holds no raw line break, so no other name and body give the same text.
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
      if (typeof body !== 'string' || typeof mac !== 'string' || !sameMac(macOf(row, body), mac)) throw damagedRow(row);
      if (!body.startsWith(encryptedPrefix)) return body;
      return decryptBody(stateSecret, header(row), body) ?? throwDamaged(row);
    },
  };
}

function sameMac(made: string, stored: string): boolean {
  return made.length === stored.length && timingSafeEqual(Buffer.from(made), Buffer.from(stored));
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

function throwDamaged(row: RowId): never {
  throw damagedRow(row);
}

function damagedRow({ table, key }: RowId): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The row ${JSON.stringify(key)} of ${table} is not what was written there: it was changed, or sealed with another ` +
      'secret. Nothing in it is believed; restore the store from a copy, or remove the row.',
  );
}
