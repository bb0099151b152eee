/** Keys for verifying a journal. Never creates one. */

import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import type { CheckpointKey } from '../../journal/checkpoint.ts';
import { fingerprint, readSigningKey, readTrustedKeys } from '../keys/key-files.ts';
import { readKeyFile } from '../keys/private-file.ts';

/** The keys of a key folder: its own, and those it trusts. */
export function knownJournalKeys(folder: string): readonly CheckpointKey[] {
  const own = readSigningKey({ path: join(folder, 'journal.key'), name: 'journal' });
  return [...(own === undefined ? [] : [own]), ...readTrustedKeys(join(folder, 'journal'))];
}

/** The public key in a file, such as `journal.pub` of a key folder. */
export function readJournalKey(path: string): CheckpointKey {
  const text = readKeyFile(path);
  if (text === undefined) throw new BridleError('STORE_KEYS', `The key ${path} does not exist.`);
  try {
    const publicKey = createPublicKey({ key: text, format: 'pem' });
    if (publicKey.asymmetricKeyType === 'ed25519') return { id: fingerprint(publicKey), publicKey };
  } catch (error) {
    throw new BridleError('STORE_KEYS', `The key ${path} is not a public key in PEM form.`, { cause: error });
  }
  throw new BridleError('STORE_KEYS', `The key ${path} is not an Ed25519 key.`);
}
