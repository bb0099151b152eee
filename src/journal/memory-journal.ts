/** A journal in memory, with the same hash chain as a durable one. */

import { chainStart, type JournalRecord, sealRecordText } from './hash-chain.ts';
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

const entriesPerPage = 64;

/** Creates a journal that lives as long as the process. */
export function memoryJournal(): MemoryJournal {
  const sealed: JournalRecord[] = [];
  // A call waits for its entry but not for the hash, which is computed when somebody looks. Until then, nobody else
  // can reach the entries: each is text at once, and many are one string, which costs the garbage collector little.
  let pages: string[] = [];
  let page: string[] = [];
  const sealAll = (): readonly JournalRecord[] => {
    for (const text of [...pages.flatMap((lines) => lines.split('\n')), ...page]) {
      sealed.push(Object.freeze(sealRecordText(text, sealed.length, sealed.at(-1)?.hash ?? chainStart)));
    }
    pages = [];
    page = [];
    return sealed;
  };
  return {
    append(entry) {
      page.push(JSON.stringify(entry));
      if (page.length < entriesPerPage) return;
      pages.push(page.join('\n'));
      page = [];
    },
    get records() {
      return sealAll();
    },
    entries: () => sealAll().map(({ text }) => JSON.parse(text) as JournalEntry),
    get head() {
      return sealAll().at(-1)?.hash ?? chainStart;
    },
  };
}
