/**
 * Opens a key folder. Creates missing keys of this machine, and refuses files that other users could read or change.
 */

import { createHmac, createPublicKey, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KeyRing, SigningKey } from '../../approvals/signing/key-ring.ts';
import { lazy } from '../../kernel/lazy.ts';
import type { CheckpointKey } from '../../journal/checkpoint.ts';
import {
  checkPrivateFolder,
  createSigningKey,
  fingerprint,
  isSigningKey,
  keyError,
  makePrivateFile,
  makePrivateFolder,
  publicText,
  readKeyFile,
  readPrivateFile,
  readSigningKey,
  readTrustedKeys,
} from './key-files.ts';

/** `~/.bridle/keys`. */
function defaultKeyFolder(): string {
  return join(homedir(), '.bridle', 'keys');
}

export interface KeyRingOptions {
  /** False: a missing file is an error. Default: true, which creates it. */
  readonly create?: boolean | undefined;
}

export function openKeyRing(at: string = defaultKeyFolder(), { create = true }: KeyRingOptions = {}): KeyRing {
  const folder = resolve(at);
  if (create) makePrivateFolder(folder);
  checkPrivateFolder(folder);
  const root = readSecret(join(folder, 'store.secret'), create);
  const secrets = new Map<string, Uint8Array>();
  let ownJournalKey: SigningKey | undefined;

  const secret = (purpose: string) => {
    const made = secrets.get(purpose) ?? createHmac('sha256', root).update(`bridle ${purpose}`).digest();
    secrets.set(purpose, made);
    return made;
  };
  const journalKey = () => (ownJournalKey ??= openJournalKey(folder, create));

  return {
    folder,
    secret,
    journalKey,
    mustSign: lazy(() => {
      // Parsing a key takes longer than adding a record.
      if (!isSigningKey(readPrivateFile(journalKeyFile(folder)))) journalKey();
    }),
    journalKeys: () => {
      const others = readTrustedKeys(join(folder, 'journal'));
      if (ownJournalKey === undefined && !existsSync(journalKeyFile(folder))) return others;
      const { name, id, publicKey } = journalKey();
      return [{ name, id, publicKey }, ...others.filter((other) => other.id !== id)];
    },
    approverKeys: () => readTrustedKeys(join(folder, 'approvers')),
  };
}

/** Identifies the secret of a key ring without revealing it. */
export function secretFingerprint(keys: KeyRing): string {
  return Buffer.from(keys.secret('fingerprint')).toString('hex').slice(0, 16);
}

function readSecret(path: string, create: boolean): Buffer {
  if (create && readPrivateFile(path) === undefined) makePrivateFile(path, `${randomBytes(32).toString('hex')}\n`);
  const text = readPrivateFile(path)?.trim();
  if (text === undefined)
    throw keyError(`The secret ${path} does not exist. Copy it from the machine that created the store.`);
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw keyError(`The secret ${path} is damaged: it must be 64 hex digits. Restore it from a backup.`);
  }
  return Buffer.from(text, 'hex');
}

function openJournalKey(folder: string, create: boolean): SigningKey {
  const file = { path: journalKeyFile(folder), name: 'journal' };
  if (create && !existsSync(file.path)) createSigningKey(file);
  const key = readSigningKey(file);
  if (key === undefined) throw keyError(`The key ${file.path} does not exist.`);
  // For verifying on other machines; never read back here.
  const publicFile = join(folder, 'journal.pub');
  if (create && !existsSync(publicFile)) makePrivateFile(publicFile, publicText(key.publicKey));
  return key;
}

function journalKeyFile(folder: string): string {
  return join(folder, 'journal.key');
}

/** The keys that verify a journal: the folder's own, and those it trusts. Creates none. */
export function knownJournalKeys(folder: string): readonly CheckpointKey[] {
  const own = readSigningKey({ path: journalKeyFile(folder), name: 'journal' });
  return [...(own === undefined ? [] : [own]), ...readTrustedKeys(join(folder, 'journal'))];
}

/** The public key in a file, such as `journal.pub` of a key folder. */
export function readJournalKey(path: string): CheckpointKey {
  const text = readKeyFile(path);
  if (text === undefined) throw keyError(`The key ${path} does not exist.`);
  try {
    const publicKey = createPublicKey({ key: text, format: 'pem' });
    if (publicKey.asymmetricKeyType === 'ed25519') return { id: fingerprint(publicKey), publicKey };
  } catch (error) {
    throw keyError(`The key ${path} is not a public key in PEM form.`, error);
  }
  throw keyError(`The key ${path} is not an Ed25519 key.`);
}
