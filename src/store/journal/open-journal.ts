/** The journal of one namespace of a store. */

import { JournalRows } from './journal-rows.ts';
import { type JournalParts, JournalWriter } from './journal-writer.ts';
import { readCall, readLines, readRecords } from './read-journal.ts';
import type { StoredJournal } from './stored-journal.ts';
import { tailJournal } from './tail-journal.ts';
import { verifyJournal } from './verify-journal.ts';

/** `close` waits for what is being written, and signs what this process has added. */
export function openJournal(parts: JournalParts): StoredJournal & { close(): Promise<void> } {
  const { database, namespace, keys, sealer } = parts;
  const rows = new JournalRows(namespace);
  const source = { queries: database, rows };
  const topic = `journal:${namespace}`;
  const writer = new JournalWriter(parts, rows, topic);
  return {
    append: (entry) => writer.append(entry),
    head: () => rows.head(database),
    read: (options) => readRecords(source, options),
    ofCall: (call) => readCall(source, call),
    lines: (options) => readLines(source, options),
    tail: (count, { signal, follow }) => tailJournal(source, { count, signal, follow, topic }),
    checkpoints: () => rows.checkpoints(database, 0, Number.MAX_SAFE_INTEGER),
    checkpoint: () => writer.checkpoint(),
    verify: (options) => verifyJournal({ ...source, sealer, keys: keys.journalKeys() }, options),
    close: () => writer.close(),
  };
}
