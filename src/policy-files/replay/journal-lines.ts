/** Reads an exported journal line by line and verifies its hash chain. */

import { readRecordLine, verifyRecords } from '../../journal/hash-chain.ts';
import { readCheckpointLine } from '../../journal/checkpoint.ts';
import { type JournalEntry, journalVersion } from '../../kernel/records/journal-entry.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';

export type JournalLine =
  | { readonly type: 'entry'; readonly line: number; readonly seq: number | undefined; readonly entry: JournalEntry }
  | { readonly type: 'damaged'; readonly line: number; readonly problem: string }
  /** The hash chain is broken here. The entry follows. */
  | { readonly type: 'broken'; readonly line: number; readonly problem: string };

/** Also reads entries without a hash chain. Keeps only the last hash in memory. */
export async function* journalLines(lines: AsyncIterable<string> | Iterable<string>): AsyncIterable<JournalLine> {
  let line = 0;
  let from: { readonly seq: number; readonly prev: string } | undefined;
  for await (const text of lines) {
    line++;
    if (text.trim() === '') continue;
    const content = text.replace(/\r$/, '');
    const checkpoint = readCheckpointLine(content);
    if (checkpoint !== undefined) {
      const isHere = from === undefined || (checkpoint.count === from.seq && checkpoint.hash === from.prev);
      if (!isHere) yield { type: 'broken', line, problem: 'is a checkpoint of different records' };
      continue;
    }
    const record = readRecordLine(content);
    if ('problem' in record) {
      yield unchainedEntry(text, line) ?? { type: 'damaged', line, problem: record.problem };
      continue;
    }
    // An export may start in the middle of a journal; the earlier records are not verified.
    const verified = verifyRecords([record], { from: from ?? { seq: record.seq, prev: record.prev } });
    if (!verified.ok) yield { type: 'broken', line, problem: verified.problem };
    from = { seq: record.seq + 1, prev: record.hash };
    const entry = entryOf(JSON.parse(record.text) as JsonValue);
    if (typeof entry === 'string') yield { type: 'damaged', line, problem: entry };
    else yield { type: 'entry', line, seq: record.seq, entry };
  }
}

function unchainedEntry(text: string, line: number): JournalLine | undefined {
  try {
    const entry = entryOf(JSON.parse(text) as JsonValue);
    return typeof entry === 'string' ? undefined : { type: 'entry', line, seq: undefined, entry };
  } catch {
    // Not JSON: the caller reports the line as damaged.
    return undefined;
  }
}

const kinds: readonly unknown[] = ['decided', 'settled', 'noted'];
const statuses: readonly unknown[] = ['allowed', 'denied', 'asked', 'approved', 'refused', 'expired'];

/** The entry, or a message if it is invalid. */
function entryOf(value: JsonValue): JournalEntry | string {
  if (!isJsonObject(value)) return 'is not a journal entry';
  const { v, kind, status, tool, call, session, args, server } = value;
  if (v !== journalVersion)
    return `has format version ${JSON.stringify(v)}; only version ${journalVersion} is supported`;
  if (!kinds.includes(kind)) return `has the unknown kind ${JSON.stringify(kind)}`;
  if (kind !== 'decided') return value as unknown as JournalEntry;
  const isWhole =
    statuses.includes(status) &&
    [tool, call, session].every((each) => typeof each === 'string') &&
    (server === undefined || typeof server === 'string') &&
    args !== undefined;
  return isWhole ? (value as unknown as JournalEntry) : 'is an incomplete decision';
}
