/** What it means for a journal to be whole, as plainly as it can be written: everything in memory, one thing after another. */

import { createHash, verify, type KeyObject } from 'node:crypto';

export interface ReferenceRow {
  readonly seq: number;
  readonly hash: string;
  readonly text: string;
}

export interface ReferenceCheckpoint {
  readonly namespace: string;
  readonly count: number;
  readonly hash: string;
  readonly at: number;
  readonly key: string;
  readonly signature: string;
}

export interface ReferenceJournal {
  readonly namespace: string;
  readonly rows: readonly ReferenceRow[];
  readonly checkpoints: readonly ReferenceCheckpoint[];
  /** Public keys by their fingerprints. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly head?: string | undefined;
}

/** True if every row is where and what it was, every thousandth is signed, and every signature holds. */
export function isWhole({ namespace, rows, checkpoints, keys, head }: ReferenceJournal): boolean {
  const hashes = ['0'.repeat(64)];
  for (const { seq, hash, text } of rows) {
    const place = hashes.length - 1;
    const right = createHash('sha256').update(`${hashes[place]}\n${place}\n${text}`, 'utf8').digest('hex');
    if (seq !== place || hash !== right) return false;
    hashes.push(hash);
  }
  const counts = checkpoints.map(({ count }) => count);
  for (let due = 1000; due <= rows.length; due += 1000) if (!counts.includes(due)) return false;
  if (new Set(counts).size !== counts.length) return false;
  for (const checkpoint of checkpoints) {
    const { count, hash, at, key, signature } = checkpoint;
    if (count < 1 || count > rows.length || hashes[count] !== hash || checkpoint.namespace !== namespace) return false;
    const signed = JSON.stringify(['bridle journal checkpoint 1', namespace, count, hash, at]);
    const publicKey = keys.get(key);
    if (publicKey === undefined) return false;
    if (!verify(null, Buffer.from(signed), publicKey, Buffer.from(signature, 'base64'))) return false;
  }
  return head === undefined || hashes.includes(head);
}
