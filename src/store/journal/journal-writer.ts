/**
 * Group commit: what is appended while a write is under way goes into the next one. The chain is continued inside the
 * write's own transaction, from the head as it is in the database, so that many processes make one chain.
 */

import { BridleError } from '../../kernel/errors.ts';
import { chainStart, sealRecordText } from '../../journal/hash-chain.ts';
import { type Checkpoint, checkpointEvery, type JournalHead, signCheckpoint } from '../../journal/checkpoint.ts';
import type { JournalEntry } from '../../kernel/records/journal-entry.ts';
import type { Queries, Transaction } from '../database/database.ts';
import { writeOnce } from '../database/unknown-commit-outcome.ts';
import type { NamespaceContext } from '../namespace/namespace-context.ts';
import type { SealedColumns } from '../namespace/sealed-row.ts';
import { JournalBatch } from './journal-batch.ts';
import type { JournalEnd, JournalRows, RecordRow } from './journal-rows.ts';
import { endProblem, sealHead } from './sealed-head.ts';

export type JournalContext = Pick<NamespaceContext, 'database' | 'namespace' | 'keys' | 'sealer' | 'clock'>;

/** What waits for a database that does not answer is held in memory: beyond this nothing more is taken. */
const maxWaiting = 128 * 1024 * 1024;

export class JournalWriter {
  /** The one that is being written, if any. */
  private current: JournalBatch | undefined;
  /** Those that wait, and still take what comes. */
  private queue: JournalBatch[] = [];
  private waiting = 0;
  private writing: Promise<void> | undefined;
  /** Where entries would stand if a write that failed was committed after all. */
  private readonly attempted = new WeakMap<JournalEntry, RecordRow>();
  /** The end of the chain as this process last made it. */
  private lastHead: JournalHead = { count: 0, hash: chainStart };
  /** The seal this process last made, whether it was kept or not. */
  private lastSeal: SealedColumns | undefined;
  private isUnsigned = false;
  private isClosed = false;

  constructor(
    private readonly context: JournalContext,
    private readonly rows: JournalRows,
    private readonly topic: string,
  ) {}

  append(entry: JournalEntry): Promise<void> {
    // Whoever gave up waiting and tries again waits for the same write.
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

  /** Signs the end of the chain, if there is anything to sign. */
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

  /** Waits for what is being written and signs what this process has added; twice is once. */
  async close(): Promise<void> {
    this.isClosed = true;
    while (this.writing !== undefined) await this.writing;
    if (!this.isUnsigned) return;
    this.isUnsigned = false;
    await this.checkpoint();
  }

  private enqueue(entry: JournalEntry, text: string): JournalBatch {
    if (this.isClosed) throw new BridleError('STORE_FAILED', 'The journal is closed, and takes no more entries.');
    if (this.waiting + text.length > maxWaiting && this.waiting > 0)
      throw new BridleError('STORE_FAILED', 'The journal is too far behind: its database does not keep up.');
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
      // Whatever happens in the same round of the event loop shares a commit.
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

  /** The head after the batch at hand is written. */
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

  /** The batch of this write, which takes no more. */
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
      `${problem}. Nothing is added to it: find out who did that (bridle journal verify), then restore the store.`,
    );
  }

  /** What is added to a forged end would vouch for it. */
  private headProblem(end: JournalEnd): string | undefined {
    const { count, hash } = this.lastHead;
    const { head } = end;
    if (head.count < count || (head.count === count && head.hash !== hash)) {
      return `The journal had ${count} records and ends after ${head.count} others: it was cut off or replaced while in use`;
    }
    // The very seal this process has made, for the very end it has made, needs no second look.
    const { sealed } = end;
    const isOwn = head.count === count && sealed?.mac === this.lastSeal?.mac && sealed?.body === this.lastSeal?.body;
    const problem = isOwn && sealed !== undefined ? undefined : endProblem(this.context.sealer, end);
    return problem === undefined ? undefined : `The journal was cut off or replaced: ${problem}`;
  }

  private async seal(queries: Queries, before: JournalHead): Promise<SealedBatch> {
    const sealed: { entries: JournalEntry[]; records: RecordRow[] } = { entries: [], records: [] };
    let { count, hash } = before;
    for (const [entry, text] of this.currentBatch().texts) {
      const tried = this.attempted.get(entry);
      // A write may fail and be committed all the same: an answer gets lost, not only a question.
      if (tried?.text === text && (await this.rows.hashAt(queries, tried.seq)) === tried.hash) continue;
      const record = sealRecordText(text, count, hash);
      sealed.entries.push(entry);
      sealed.records.push(record);
      [count, hash] = [count + 1, record.hash];
    }
    return sealed;
  }

  private async insert(transaction: Transaction, records: readonly RecordRow[]): Promise<void> {
    // Where nobody can sign nothing is recorded, from the first entry on.
    this.context.keys.journalKey();
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

/** Entries, and the records made of them in the same order. */
interface SealedBatch {
  readonly entries: readonly JournalEntry[];
  readonly records: readonly RecordRow[];
}
