/** A hash chain over journal entries: each record names the hash of the one before, so a change or a gap is found. */

import { createHash, hash } from 'node:crypto';
import { messageOf } from '../errors.ts';
import type { JournalEntry } from './record.ts';

/** An entry as it is kept: `text` is its canonical JSON, `hash` covers it and its place. */
export interface JournalRecord {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  readonly text: string;
}

/** The `prev` of the first record. */
export const chainStart = '0'.repeat(64);

const digest: (text: string) => string =
  typeof hash === 'function'
    ? (text) => hash('sha256', text, 'hex')
    : (text) => createHash('sha256').update(text).digest('hex');

export function sealRecord(entry: JournalEntry, seq: number, prev: string): JournalRecord {
  const text = JSON.stringify(entry);
  return Object.freeze({ seq, prev, hash: digest(`${prev}\n${seq}\n${text}`), text });
}

/** One line of JSON, as records are exported. */
export function recordLine({ seq, prev, hash: own, text }: JournalRecord): string {
  return `{"seq":${seq},"prev":"${prev}","hash":"${own}","entry":${text}}`;
}

/** The record behind an exported line, or what is wrong with the line. */
export function readRecordLine(line: string): JournalRecord | { readonly problem: string } {
  const parts = /^\{"seq":(0|[1-9]\d{0,14}),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})","entry":(\{.*\})\}$/s.exec(
    line,
  );
  if (parts === null) return { problem: 'is not a journal record' };
  const [, seq, prev, own, text] = parts as unknown as [string, string, string, string, string];
  try {
    JSON.parse(text);
  } catch (error) {
    return { problem: `holds an entry that is not JSON: ${messageOf(error)}` };
  }
  return { seq: Number(seq), prev, hash: own, text };
}

export type Verified =
  | { readonly ok: true; readonly count: number; readonly head: string }
  | { readonly ok: false; readonly at: number; readonly problem: string };

/**
 * Checks records in order; with `head`, the hash of a record that was the last one once, also that the end is not cut
 * off before it. `from` continues an earlier verification.
 */
export function verifyRecords(
  records: Iterable<JournalRecord>,
  options: {
    readonly head?: string | undefined;
    readonly from?: { readonly seq: number; readonly prev: string } | undefined;
  } = {},
): Verified {
  let { seq, prev } = options.from ?? { seq: 0, prev: chainStart };
  let count = 0;
  let found = options.head === undefined || options.head === prev;
  for (const record of records) {
    const wrong = (problem: string): Verified => ({ ok: false, at: seq, problem });
    if (record.seq !== seq) return wrong(`record ${seq} is missing or out of order: found ${record.seq}`);
    if (record.prev !== prev) return wrong(`record ${seq} does not follow the one before it`);
    if (record.hash !== digest(`${prev}\n${seq}\n${record.text}`)) return wrong(`record ${seq} was changed`);
    prev = record.hash;
    found ||= options.head === prev;
    seq++;
    count++;
  }
  if (!found) return { ok: false, at: seq, problem: 'the journal ends before the head that was kept' };
  return { ok: true, count, head: prev };
}

/** {@link verifyRecords} for exported lines; a line that is no record is a fault, an empty last line is not. */
export function verifyLines(lines: Iterable<string>, options: Parameters<typeof verifyRecords>[1] = {}): Verified {
  const records: JournalRecord[] = [];
  let empty = false;
  for (const line of lines) {
    const record = empty ? { problem: 'follows an empty line' } : readRecordLine(line);
    empty = line === '';
    if (empty) continue;
    if ('problem' in record) {
      const before = verifyRecords(records, { from: options.from });
      return before.ok
        ? { ok: false, at: records.length, problem: `line ${records.length + 1} ${record.problem}` }
        : before;
    }
    records.push(record);
  }
  return verifyRecords(records, options);
}
