/** Signed checkpoints: whoever holds the key vouches for every record of a journal up to here. */

import { type KeyObject, sign, verify } from 'node:crypto';
import { decodeStrictBase64 } from '../files/strict-base64.ts';

/** A checkpoint stands after every so many records, and wherever a writer stopped. */
export const checkpointEvery = 1_000;

/** The end of the chain at some moment. Kept elsewhere, it shows whether records were cut off. */
export interface JournalHead {
  /** How many records there are. */
  readonly count: number;
  /** The hash of the last one. */
  readonly hash: string;
}

export interface Checkpoint extends JournalHead {
  /** Whose journal it is. */
  readonly namespace: string;
  readonly at: number;
  /** The fingerprint of the public key. */
  readonly key: string;
  /** Ed25519 over everything above but the key, in base64. */
  readonly signature: string;
}

/** A key that counts. */
export interface CheckpointKey {
  readonly id: string;
  readonly publicKey: KeyObject;
}

export function signCheckpoint(
  { namespace, count, hash, at }: Omit<Checkpoint, 'key' | 'signature'>,
  key: { readonly id: string; readonly privateKey: KeyObject },
): Checkpoint {
  const signature = sign(null, signedBytes({ namespace, count, hash, at }), key.privateKey).toString('base64');
  return { namespace, count, hash, at, key: key.id, signature };
}

/** Why a checkpoint does not count; undefined if it does. */
export function checkpointSignatureProblem(checkpoint: Checkpoint, keys: readonly CheckpointKey[]): string | undefined {
  const key = keys.find(({ id }) => id === checkpoint.key);
  if (key === undefined) return `is signed by a key that is not known here: ${checkpoint.key}`;
  const signature = decodeStrictBase64(checkpoint.signature, 'base64');
  const isRight = signature !== undefined && verify(null, signedBytes(checkpoint), key.publicKey, signature);
  return isRight ? undefined : 'was changed, or signed by somebody else';
}

function signedBytes({ namespace, count, hash, at }: Omit<Checkpoint, 'key' | 'signature'>): Buffer {
  return Buffer.from(JSON.stringify(['bridle journal checkpoint 1', namespace, count, hash, at]));
}

/** One line of JSON, as a checkpoint stands in an export, right after the last record it covers. */
export function checkpointLine({ namespace, count, hash, at, key, signature }: Checkpoint): string {
  return JSON.stringify({ checkpoint: { namespace, count, hash, at, key, signature } });
}

/** The checkpoint behind an exported line; undefined if it is none. */
export function readCheckpointLine(line: string): Checkpoint | undefined {
  if (!line.startsWith('{"checkpoint":{')) return undefined;
  try {
    const { checkpoint } = JSON.parse(line) as { readonly checkpoint: Checkpoint };
    const { namespace, count, hash, at, key, signature } = checkpoint;
    const isWhole =
      [namespace, hash, key, signature].every((each) => typeof each === 'string') &&
      [count, at].every((each) => Number.isSafeInteger(each));
    // Written another way it is not what was exported.
    return isWhole && checkpointLine(checkpoint) === line ? checkpoint : undefined;
  } catch {
    // Not JSON: the caller says that it is no record.
    return undefined;
  }
}
