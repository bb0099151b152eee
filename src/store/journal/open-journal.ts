/** The journal of a store: one chain for all processes of a namespace, with signed checkpoints. */

import type { JournalRecord } from '../../journal/hash-chain.ts';
import type { Checkpoint, JournalHead } from '../../journal/checkpoint.ts';
import type { JournalVerification } from '../../journal/verify-journal.ts';
import type { Journal, JournalEntry } from '../../kernel/records/journal-entry.ts';
import { JournalRows } from './journal-rows.ts';
import { type JournalContext, JournalWriter } from './journal-writer.ts';
import { readCallRecords, readExportLines, type ReadOptions, readRecords, tailJournal } from './read-journal.ts';
import { verifyJournal, type VerifyOptions } from './verify-stored-journal.ts';

export interface StoredJournal extends Journal {
  /**
   * Resolves when the entry is durable. Entries that arrive together are written together. If the same object is
   * appended again, during the write or after it failed, it is recorded once.
   */
  append(entry: JournalEntry): Promise<void>;
  head(): Promise<JournalHead>;
  /** Records in order, read in batches. */
  read(options?: ReadOptions): AsyncIterable<JournalRecord>;
  /** The records about one call, by its id, in order. */
  ofCall(call: string): AsyncIterable<JournalRecord>;
  /** Lines of an export: records, and each checkpoint after the last record it covers. */
  lines(options?: ReadOptions): AsyncIterable<string>;
  /** The last `count` records, then new ones if `follow` is set, until the signal is aborted. */
  tail(
    count: number,
    options: { readonly signal: AbortSignal; readonly follow: boolean },
  ): AsyncIterable<JournalRecord>;
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** Signs the end of the chain now; undefined if the journal is empty. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /**
   * Checks every record against the chain, every checkpoint against its key, and the end against its seal and a given
   * head.
   */
  verify(options?: VerifyOptions): Promise<JournalVerification>;
}

/** `close` waits for pending writes and signs what this process has added. */
export function openJournal(context: JournalContext): StoredJournal & { close(): Promise<void> } {
  const { database, namespace, keys, sealer } = context;
  const rows = new JournalRows(namespace);
  const source = { queries: database, rows };
  const topic = `journal:${namespace}`;
  const writer = new JournalWriter(context, rows, topic);
  return {
    append: (entry) => writer.append(entry),
    head: () => rows.head(database),
    read: (options) => readRecords(source, options),
    ofCall: (call) => readCallRecords(source, call),
    lines: (options) => readExportLines(source, options),
    tail: (count, { signal, follow }) => tailJournal(source, { count, signal, follow, topic }),
    checkpoints: () => rows.checkpoints(database, 0, Number.MAX_SAFE_INTEGER),
    checkpoint: () => writer.checkpoint(),
    verify: (options) => verifyJournal({ ...source, sealer, keys: keys.journalKeys() }, options),
    close: () => writer.close(),
  };
}
