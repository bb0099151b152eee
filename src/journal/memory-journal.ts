/** A journal in memory, chained like a durable one. */

import { chainStart, type JournalRecord, sealRecord } from './hash-chain.ts';
import type { Journal, JournalEntry } from '../kernel/records/journal-entry.ts';

export interface MemoryJournal extends Journal {
  append(entry: JournalEntry): void;
  /** Everything taken so far, oldest first. */
  readonly records: readonly JournalRecord[];
  /** The entries of those records. */
  readonly entries: () => readonly JournalEntry[];
  /** The hash of the last record; kept elsewhere, it shows a cut-off end. */
  readonly head: string;
}

/** A journal that lives as long as the process. */
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
