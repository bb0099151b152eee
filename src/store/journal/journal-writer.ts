/**
 * Group commit: entries appended during a write go into the next one. Each write continues the chain inside its own
 * transaction, from the head in the database, so many processes share one chain.
 */

import { BridleError } from '../../kernel/errors.ts';
import { chainStart, sealRecordText } from '../../journal/hash-chain.ts';
import { type Checkpoint, checkpointEvery, type JournalHead, signCheckpoint } from '../../journal/checkpoint.ts';
import type { JournalEntry } from '../../kernel/records/journal-entry.ts';
import type { Queries, Transaction } from '../database/database.ts';
import { writeOnce } from '../database/write-once.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import type { SealedColumns } from '../namespace/sealed-row.ts';
import { endProblem, type JournalEnd, type JournalRows, type RecordRow, sealHead } from './journal-rows.ts';

export type JournalContext = Pick<NamespaceContext, 'database' | 'namespace' | 'keys' | 'sealer' | 'clock'>;

/** Characters that may wait in memory for a slow database. Beyond this, appending fails. */
const maxWaiting = 128 * 1024 * 1024;

export class JournalWriter {
  /** The batch being written, if any. */
  private current: JournalBatch | undefined;
  /** Waiting batches; the last one accepts more entries. */
  private queue: JournalBatch[] = [];
  private waiting = 0;
  private writing: Promise<void> | undefined;
  /** The records of failed writes, which may have been committed after all. */
  private readonly attempted = new WeakMap<JournalEntry, RecordRow>();
  /** The end of the chain after the last write of this process. */
  private lastHead: JournalHead = { count: 0, hash: chainStart };
  /** The last seal made by this process, committed or not. */
  private lastSeal: SealedColumns | undefined;
  private isUnsigned = false;
  private isClosed = false;

  constructor(
    private readonly context: JournalContext,
    private readonly rows: JournalRows,
    private readonly topic: string,
  ) {}

  append(entry: JournalEntry): Promise<void> {
    // A repeated append of the same entry waits for the same write.
    if (this.current?.texts.has(entry) === true) return this.current.written;
    const same = this.queue.find(({ texts }) => texts.has(entry));
    if (same !== undefined) return same.written;
    try {
      const { written } = this.enqueue(entry, JSON.stringify(entry));
      this.writing ??= this.writeAll();
      return written;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Signs the end of the chain, unless the journal is empty. */
  checkpoint(): Promise<Checkpoint | undefined> {
    const write = async (transaction: Transaction): Promise<Checkpoint | undefined> => {
      const head = await this.lockedHead(transaction);
      if (head.count === 0) return undefined;
      await this.sign(transaction, head);
      const [signed] = await this.rows.checkpoints(transaction, head.count - 1, head.count);
      return signed;
    };
    return writeOnce(() => this.context.database.write(write));
  }

  /** Waits for pending writes and signs what this process has added. Closing twice is safe. */
  async close(): Promise<void> {
    this.isClosed = true;
    while (this.writing !== undefined) await this.writing;
    if (!this.isUnsigned) return;
    this.isUnsigned = false;
    await this.checkpoint();
  }

  private enqueue(entry: JournalEntry, text: string): JournalBatch {
    if (this.isClosed) throw new BridleError('STORE_FAILED', 'The journal is closed.');
    if (this.waiting + text.length > maxWaiting && this.waiting > 0)
      throw new BridleError(
        'STORE_FAILED',
        'Too many journal entries are waiting: the database is too slow or not responding.',
      );
    let batch = this.queue.at(-1);
    if (batch === undefined || !batch.hasRoomFor(text)) {
      batch = new JournalBatch();
      this.queue.push(batch);
    }
    batch.add(entry, text);
    this.waiting += text.length;
    return batch;
  }

  private async writeAll(): Promise<void> {
    while (this.queue.length > 0) {
      // Entries from the same round of the event loop share a commit.
      await new Promise(setImmediate);
      await this.writeNext();
    }
    this.writing = undefined;
  }

  private async writeNext(): Promise<void> {
    try {
      this.lastHead = await writeOnce(() => this.write());
      this.isUnsigned = this.lastHead.count % checkpointEvery !== 0;
      this.finish().resolve();
    } catch (error) {
      this.finish().reject(error);
    }
  }

  /** Writes the current batch and returns the new head. */
  private async write(): Promise<JournalHead> {
    let sealed: SealedBatch = { entries: [], records: [] };
    try {
      return await this.context.database.write(async (transaction) => {
        const before = await this.lockedHead(transaction);
        sealed = await this.seal(transaction, before);
        await this.insert(transaction, sealed.records);
        const last = sealed.records.at(-1);
        return last === undefined ? before : { count: last.seq + 1, hash: last.hash };
      });
    } catch (error) {
      for (const [at, entry] of sealed.entries.entries()) this.attempted.set(entry, sealed.records[at] as RecordRow);
      throw error;
    }
  }

  /** The batch of this write, closed for new entries. */
  private currentBatch(): JournalBatch {
    this.current ??= this.queue.shift() as JournalBatch;
    return this.current;
  }

  private finish(): JournalBatch {
    const batch = this.currentBatch();
    this.current = undefined;
    this.waiting -= batch.characters;
    return batch;
  }

  private async lockedHead(transaction: Transaction): Promise<JournalHead> {
    const [, end] = await Promise.all([transaction.lock(this.topic), this.rows.end(transaction)]);
    const problem = this.headProblem(end);
    if (problem === undefined) return end.head;
    throw new BridleError(
      'STORE_DAMAGED',
      `${problem}. Nothing was added to it. Find the damage with \`npx bridle journal verify\`, then restore the store.`,
    );
  }

  /** Refuses a forged end: appending to it would make it look genuine. */
  private headProblem(end: JournalEnd): string | undefined {
    const { count, hash } = this.lastHead;
    const { head } = end;
    if (head.count < count || (head.count === count && head.hash !== hash)) {
      return `The journal had ${count} records and now ends after ${head.count} others: it was truncated or replaced while in use`;
    }
    // The end and seal that this process wrote itself need no second check.
    const { sealed } = end;
    const isOwn = head.count === count && sealed?.mac === this.lastSeal?.mac && sealed?.body === this.lastSeal?.body;
    const problem = isOwn && sealed !== undefined ? undefined : endProblem(this.context.sealer, end);
    return problem === undefined ? undefined : `The journal was truncated or replaced: ${problem}`;
  }

  private async seal(queries: Queries, before: JournalHead): Promise<SealedBatch> {
    const sealed: { entries: JournalEntry[]; records: RecordRow[] } = { entries: [], records: [] };
    let { count, hash } = before;
    for (const [entry, text] of this.currentBatch().texts) {
      const tried = this.attempted.get(entry);
      // A failed write may have been committed: only the reply was lost.
      if (tried?.text === text && (await this.rows.hashAt(queries, tried.seq)) === tried.hash) continue;
      const record = sealRecordText(text, count, hash);
      sealed.entries.push(entry);
      sealed.records.push(record);
      [count, hash] = [count + 1, record.hash];
    }
    return sealed;
  }

  private async insert(transaction: Transaction, records: readonly RecordRow[]): Promise<void> {
    // Fail before the first entry if there is no key to sign with.
    this.context.keys.mustSign();
    const last = records.at(-1);
    if (last === undefined) return;
    this.lastSeal = sealHead(this.context.sealer, { count: last.seq + 1, hash: last.hash });
    const signed = records.filter(({ seq }) => (seq + 1) % checkpointEvery === 0);
    await Promise.all([
      this.rows.insert(transaction, records),
      ...signed.map(({ seq, hash }) => this.sign(transaction, { count: seq + 1, hash })),
      this.rows.seal(transaction, this.lastSeal),
      transaction.notify(this.topic),
    ]);
  }

  private async sign(queries: Queries, head: JournalHead): Promise<void> {
    const { namespace, keys, clock } = this.context;
    const checkpoint = signCheckpoint({ ...head, namespace, at: clock() }, keys.journalKey());
    await this.rows.insertCheckpoint(queries, checkpoint);
  }
}

/** Entries and their records, in the same order. */
interface SealedBatch {
  readonly entries: readonly JournalEntry[];
  readonly records: readonly RecordRow[];
}

/** The limits of one write. A single entry may exceed them. */
const maxEntries = 1_000;
const maxCharacters = 4 * 1024 * 1024;

/** Entries that are written together and fail together, with one promise for all. */
class JournalBatch {
  /** Entries with their JSON text, in order of arrival. */
  readonly texts = new Map<JournalEntry, string>();
  readonly written: Promise<void>;
  resolve!: () => void;
  reject!: (error: unknown) => void;
  private total = 0;

  constructor() {
    this.written = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get characters(): number {
    return this.total;
  }

  /** True if there is room for a text. */
  hasRoomFor(text: string): boolean {
    const { size } = this.texts;
    return size === 0 || (size < maxEntries && this.total + text.length <= maxCharacters);
  }

  add(entry: JournalEntry, text: string): void {
    this.texts.set(entry, text);
    this.total += text.length;
  }
}
