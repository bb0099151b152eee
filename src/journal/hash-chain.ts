/** A hash chain over journal entries: each record names the hash of the one before, so a change or a gap is found. */

import { createHash, hash } from 'node:crypto';
import { messageOf } from '../kernel/errors.ts';
import type { JournalEntry } from '../kernel/records/journal-entry.ts';

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
  return Object.freeze(sealRecordText(JSON.stringify(entry), seq, prev));
}

/** {@link sealRecord} for an entry that is text already. */
export function sealRecordText(text: string, seq: number, prev: string): JournalRecord {
  return { seq, prev, hash: digest(`${prev}\n${seq}\n${text}`), text };
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

export interface JournalFault {
  readonly ok: false;
  /** The number of the record where it is found. */
  readonly at: number;
  readonly problem: string;
}

export type ChainVerification = { readonly ok: true; readonly count: number; readonly head: string } | JournalFault;

export interface VerifyChainOptions {
  /** The hash of a record that was the last one once. */
  readonly head?: string | undefined;
  /** Where an earlier verification ended. */
  readonly from?: { readonly seq: number; readonly prev: string } | undefined;
}

/** Checks one record after another, and keeps nothing but the last hash. */
export class ChainVerifier {
  private seq: number;
  private prev: string;
  private readonly first: number;
  private isFound: boolean;

  constructor(private readonly options: VerifyChainOptions = {}) {
    ({ seq: this.seq, prev: this.prev } = options.from ?? { seq: 0, prev: chainStart });
    this.first = this.seq;
    this.isFound = options.head === undefined || options.head === this.prev;
  }

  /** How many records there are up to here, with those before the first one that was checked; and the last hash. */
  get end(): { readonly count: number; readonly hash: string } {
    return { count: this.seq, hash: this.prev };
  }

  /** What is wrong with the next record; undefined if nothing is. */
  add(record: JournalRecord): JournalFault | undefined {
    const { seq, prev } = this;
    if (record.seq !== seq) return this.wrong(`record ${seq} is missing or out of order: found ${record.seq}`);
    if (record.prev !== prev) return this.wrong(`record ${seq} does not follow the one before it`);
    if (record.hash !== digest(`${prev}\n${seq}\n${record.text}`)) return this.wrong(`record ${seq} was changed`);
    this.prev = record.hash;
    this.isFound ||= this.options.head === record.hash;
    this.seq++;
    return undefined;
  }

  /** What came of it, when there are no more. */
  finish(): ChainVerification {
    if (!this.isFound) return this.wrong('the journal ends before the head that was kept');
    return { ok: true, count: this.seq - this.first, head: this.prev };
  }

  wrong(problem: string): JournalFault {
    return { ok: false, at: this.seq, problem };
  }
}

/**
 * Checks records in order; with `head`, the hash of a record that was the last one once, also that the end is not cut
 * off before it. `from` continues an earlier verification.
 */
export function verifyRecords(records: Iterable<JournalRecord>, options: VerifyChainOptions = {}): ChainVerification {
  const check = new ChainVerifier(options);
  for (const record of records) {
    const fault = check.add(record);
    if (fault !== undefined) return fault;
  }
  return check.finish();
}
