/** The journal of one namespace of a store. */

import { JournalRows } from './journal-rows.ts';
import { type JournalContext, JournalWriter } from './journal-writer.ts';
import { readCallRecords, readExportLines, readRecords } from './read-journal.ts';
import type { StoredJournal } from './stored-journal.ts';
import { tailJournal } from './tail-journal.ts';
import { verifyJournal } from './verify-stored-journal.ts';

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
