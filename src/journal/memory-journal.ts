/** A journal in memory, with the same hash chain as a durable one. */

import { chainStart, type JournalRecord, sealRecord } from './hash-chain.ts';
import type { Journal, JournalEntry } from '../kernel/records/journal-entry.ts';

export interface MemoryJournal extends Journal {
  append(entry: JournalEntry): void;
  /** All records, oldest first. */
  readonly records: readonly JournalRecord[];
  /** The entries of those records. */
  readonly entries: () => readonly JournalEntry[];
  /** The hash of the last record. If you store it elsewhere, it proves whether records were cut off later. */
  readonly head: string;
}

/** Creates a journal that lives as long as the process. */
export function memoryJournal(): MemoryJournal {
  const records: JournalRecord[] = [];
  const head = (): string => records.at(-1)?.hash ?? chainStart;
  return {
    append(entry) {
      records.push(sealRecord(entry, records.length, head()));
    },
    records,
    entries: () => records.map(({ text }) => JSON.parse(text) as JournalEntry),
    get head() {
      return head();
    },
  };
}
