/** Reads a journal in pages of limited size, so memory use does not depend on its length. */

import { chainStart, type JournalRecord, recordLine } from '../../journal/hash-chain.ts';
import { type Checkpoint, checkpointLine } from '../../journal/checkpoint.ts';
import type { Database, Queries } from '../database/database.ts';
import { WakeSignal } from '../database/wake-signal.ts';
import type { JournalRows, RecordRow } from './journal-rows.ts';

export interface ReadOptions {
  /** The first record. Default: 0. */
  readonly from?: number | undefined;
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface JournalSource {
  readonly queries: Queries;
  readonly rows: JournalRows;
}

export interface JournalPage {
  readonly records: readonly JournalRecord[];
  /** The checkpoints that follow a record of this page. */
  readonly checkpoints: readonly Checkpoint[];
}

const pageBytes = 2 * 1024 * 1024;
const firstPageRows = 32;
const maxPageRows = 2_000;

/** Reads checkpoints after their records: they are written with the records or later, so none is missed. */
export async function* readPages(
  { queries, rows }: JournalSource,
  { from = 0, limit = Number.POSITIVE_INFINITY, signal }: ReadOptions = {},
): AsyncGenerator<JournalPage, void, undefined> {
  let next = from;
  let left = limit;
  let prev = from === 0 ? chainStart : ((await rows.hashAt(queries, from - 1)) ?? chainStart);
  let before = from === 0 ? Number.MIN_SAFE_INTEGER : from;
  let size = firstPageRows;
  while (left > 0) {
    if (signal?.aborted === true) return;
    const page = await rows.page(queries, next, Math.min(size, left));
    const last = page.at(-1);
    if (last === undefined) return;
    const checkpoints = await rows.checkpoints(queries, before, last.seq + 1);
    yield { records: withPrevHashes(page, prev), checkpoints };
    [next, prev, before] = [last.seq + 1, last.hash, last.seq + 1];
    left -= page.length;
    size = nextSize(page);
    // The database may answer synchronously: let other work run.
    await new Promise(setImmediate);
  }
}

export async function* readRecords(
  source: JournalSource,
  options: ReadOptions = {},
): AsyncGenerator<JournalRecord, void, undefined> {
  for await (const { records } of readPages(source, options)) {
    for (const record of records) {
      if (options.signal?.aborted === true) return;
      yield record;
    }
  }
}

/** The records about one call. */
export async function* readCallRecords(
  { queries, rows }: JournalSource,
  call: string,
): AsyncGenerator<JournalRecord, void, undefined> {
  const part = `"call":${JSON.stringify(call)}`;
  for (let from = 0; ;) {
    const found = await rows.seqsContaining(queries, part, { from, limit: 100 });
    for (const seq of found) {
      for await (const record of readRecords({ queries, rows }, { from: seq, limit: 1 })) {
        if (callOf(record) === call) yield record;
      }
    }
    if (found.length < 100) return;
    from = (found.at(-1) as number) + 1;
  }
}

export async function* readExportLines(
  source: JournalSource,
  options: ReadOptions = {},
): AsyncGenerator<string, void, undefined> {
  for await (const { records, checkpoints } of readPages(source, options)) {
    for (const item of interleave(records, checkpoints)) yield 'text' in item ? recordLine(item) : checkpointLine(item);
  }
}

interface TailOptions {
  /** How many of the last records to start with. */
  readonly count: number;
  readonly signal: AbortSignal;
  readonly follow: boolean;
  readonly topic: string;
}

/** The last records of a journal, then new ones as they arrive. */
export async function* tailJournal(
  source: JournalSource & { readonly queries: Database },
  { count, signal, follow, topic }: TailOptions,
): AsyncGenerator<JournalRecord, void, undefined> {
  const wakeSignal = new WakeSignal();
  const wake = (): void => wakeSignal.wake();
  // Listen before reading, or records in between would be missed.
  const stop = follow ? await source.queries.listen(topic, wake) : wake;
  signal.addEventListener('abort', wake);
  try {
    let next = Math.max(0, (await source.rows.head(source.queries)).count - count);
    while (!signal.aborted) {
      const woken = wakeSignal.next();
      for await (const record of readRecords(source, { from: next, signal })) {
        next = record.seq + 1;
        yield record;
      }
      if (!follow) return;
      await woken;
    }
  } finally {
    signal.removeEventListener('abort', wake);
    stop();
  }
}

/** Puts each checkpoint right after its record, or where that record would be. */
export function* interleave(
  records: readonly JournalRecord[],
  checkpoints: readonly Checkpoint[],
): Generator<JournalRecord | Checkpoint, void, undefined> {
  let at = 0;
  for (const record of records) {
    for (let one = checkpoints[at]; one !== undefined && one.count <= record.seq; one = checkpoints[++at]) yield one;
    yield record;
  }
  yield* checkpoints.slice(at);
}

function withPrevHashes(page: readonly RecordRow[], before: string): readonly JournalRecord[] {
  let prev = before;
  return page.map(({ seq, hash, text }) => {
    const record = { seq, prev, hash, text };
    prev = hash;
    return record;
  });
}

function nextSize(page: readonly RecordRow[]): number {
  const bytes = Math.max(...page.map(({ text }) => text.length));
  return Math.max(1, Math.min(maxPageRows, Math.floor(pageBytes / bytes)));
}

function callOf({ text }: JournalRecord): unknown {
  try {
    return (JSON.parse(text) as { readonly call?: unknown }).call;
  } catch {
    // Not a journal entry.
    return undefined;
  }
}
