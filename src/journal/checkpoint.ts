/** Signed checkpoints: the owner of the key vouches for every record of a journal up to the checkpoint. */

import { type KeyObject, sign, verify } from 'node:crypto';
import { decodeStrictBase64 } from '../files/strict-base64.ts';

/** Writers add a checkpoint after this many records, and when they stop. */
export const checkpointEvery = 1_000;

/** The end of the chain at some point. If you store it elsewhere, it proves whether records were cut off later. */
export interface JournalHead {
  /** The number of records. */
  readonly count: number;
  /** The hash of the last record. */
  readonly hash: string;
}

export interface Checkpoint extends JournalHead {
  /** The namespace of the journal. */
  readonly namespace: string;
  readonly at: number;
  /** The fingerprint of the public key. */
  readonly key: string;
  /** Ed25519 signature over all fields above except `key`, in base64. */
  readonly signature: string;
}

/** How the problem of a checkpoint begins whose key is not among the trusted ones. */
export const unknownKeyProblem = 'is signed with an unknown key';

/** A trusted public key. */
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

/** Why the signature of a checkpoint is not valid; undefined if it is. */
export function checkpointSignatureProblem(checkpoint: Checkpoint, keys: readonly CheckpointKey[]): string | undefined {
  const key = keys.find(({ id }) => id === checkpoint.key);
  if (key === undefined) return `${unknownKeyProblem}: ${checkpoint.key}`;
  const signature = decodeStrictBase64(checkpoint.signature, 'base64');
  const isRight = signature !== undefined && verify(null, signedBytes(checkpoint), key.publicKey, signature);
  return isRight ? undefined : 'was changed, or signed with another key';
}

function signedBytes({ namespace, count, hash, at }: Omit<Checkpoint, 'key' | 'signature'>): Buffer {
  return Buffer.from(JSON.stringify(['bridle journal checkpoint 1', namespace, count, hash, at]));
}

/** A checkpoint as one line of JSON. In an export it follows the last record that it covers. */
export function checkpointLine({ namespace, count, hash, at, key, signature }: Checkpoint): string {
  return JSON.stringify({ checkpoint: { namespace, count, hash, at, key, signature } });
}

/** Parses an exported line; undefined if it is not a checkpoint. */
export function readCheckpointLine(line: string): Checkpoint | undefined {
  if (!line.startsWith('{"checkpoint":{')) return undefined;
  try {
    const { checkpoint } = JSON.parse(line) as { readonly checkpoint: Checkpoint };
    const { namespace, count, hash, at, key, signature } = checkpoint;
    const isWhole =
      [namespace, hash, key, signature].every((each) => typeof each === 'string') &&
      [count, at].every((each) => Number.isSafeInteger(each));
    // Only the exact exported form is valid.
    return isWhole && checkpointLine(checkpoint) === line ? checkpoint : undefined;
  } catch {
    // Not JSON. The caller reports it as an invalid record.
    return undefined;
  }
}
