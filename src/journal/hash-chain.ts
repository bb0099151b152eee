/** A hash chain over journal entries. Each record contains the hash of the previous one, so a change or a gap is detected. */

import { createHash, hash } from 'node:crypto';
import { messageOf } from '../kernel/errors.ts';
import type { JournalEntry } from '../kernel/records/journal-entry.ts';

/** An entry as it is stored: `text` is its canonical JSON, `hash` covers the text, the sequence number and `prev`. */
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

/** {@link sealRecord}, for an entry that is already text. */
export function sealRecordText(text: string, seq: number, prev: string): JournalRecord {
  return { seq, prev, hash: digest(`${prev}\n${seq}\n${text}`), text };
}

/** A record as one line of JSON, the export format. */
export function recordLine({ seq, prev, hash: own, text }: JournalRecord): string {
  return `{"seq":${seq},"prev":"${prev}","hash":"${own}","entry":${text}}`;
}

/** Parses an exported line. Returns the record or the problem. */
export function readRecordLine(line: string): JournalRecord | { readonly problem: string } {
  const parts = /^\{"seq":(0|[1-9]\d{0,14}),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})","entry":(\{.*\})\}$/s.exec(
    line,
  );
  if (parts === null) return { problem: 'is not a journal record' };
  const [, seq, prev, own, text] = parts as unknown as [string, string, string, string, string];
  try {
    JSON.parse(text);
  } catch (error) {
    return { problem: `contains an entry that is not JSON: ${messageOf(error)}` };
  }
  return { seq: Number(seq), prev, hash: own, text };
}

export interface JournalFault {
  readonly ok: false;
  /** The number of the record with the fault. */
  readonly at: number;
  readonly problem: string;
}

export type ChainVerification = { readonly ok: true; readonly count: number; readonly head: string } | JournalFault;

export interface VerifyChainOptions {
  /** The hash of a record that was once the last one. The chain must contain it. */
  readonly head?: string | undefined;
  /** The end of an earlier verification, to continue from. */
  readonly from?: { readonly seq: number; readonly prev: string } | undefined;
}

/** Verifies records one by one, in constant memory. */
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

  /** The number of records so far, including those of an earlier verification, and the last hash. */
  get end(): { readonly count: number; readonly hash: string } {
    return { count: this.seq, hash: this.prev };
  }

  /** Verifies the next record; undefined if it is correct. */
  add(record: JournalRecord): JournalFault | undefined {
    const { seq, prev } = this;
    if (record.seq !== seq) return this.fault(`record ${seq} is missing or out of order: found ${record.seq}`);
    if (record.prev !== prev) return this.fault(`record ${seq} does not follow the one before it`);
    if (record.hash !== digest(`${prev}\n${seq}\n${record.text}`)) return this.fault(`record ${seq} was changed`);
    this.prev = record.hash;
    this.isFound ||= this.options.head === record.hash;
    this.seq++;
    return undefined;
  }

  /** The result, after the last record. */
  finish(): ChainVerification {
    if (!this.isFound) return this.fault('the journal does not contain the given head; its end may have been cut off');
    return { ok: true, count: this.seq - this.first, head: this.prev };
  }

  fault(problem: string): JournalFault {
    return { ok: false, at: this.seq, problem };
  }
}

/**
 * Verifies records in order. With `head`, the hash of a record that was once the last one, also verifies that the journal
 * was not cut off before it. `from` continues an earlier verification.
 */
export function verifyRecords(records: Iterable<JournalRecord>, options: VerifyChainOptions = {}): ChainVerification {
  const check = new ChainVerifier(options);
  for (const record of records) {
    const fault = check.add(record);
    if (fault !== undefined) return fault;
  }
  return check.finish();
}
