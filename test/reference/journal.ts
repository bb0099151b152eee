/** What it means for a journal to be whole, as plainly as it can be written: everything in memory, one thing after another. */

import { createHash, createHmac, verify, type KeyObject } from 'node:crypto';

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

/** What was sealed as the end. */
export interface ReferenceSeal {
  readonly body: string;
  readonly mac: string;
}

export interface ReferenceJournal {
  readonly namespace: string;
  readonly rows: readonly ReferenceRow[];
  readonly checkpoints: readonly ReferenceCheckpoint[];
  readonly seal: ReferenceSeal | undefined;
  /** The secret it is sealed with. */
  readonly secret: Uint8Array;
  /** Public keys by their fingerprints. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly head?: string | undefined;
}

/** True if every row is where and what it was, every thousandth is signed, every signature holds, and the last is sealed. */
export function isWhole({ namespace, rows, checkpoints, keys, head, seal, secret }: ReferenceJournal): boolean {
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
  if (
    seal === undefined ? rows.length > 0 : seal.body !== JSON.stringify({ count: rows.length, hash: hashes.at(-1) })
  ) {
    return false;
  }
  const sealed = `["bridle_journal_heads",${JSON.stringify(namespace)}]\n${seal?.body}`;
  const mac = createHmac('sha256', secret).update(sealed).digest('hex').slice(0, 32);
  if (seal !== undefined && seal.mac !== mac) return false;
  return head === undefined || hashes.includes(head);
}
