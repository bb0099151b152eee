/**
 * The writes of one process to a SQLite file, one transaction at a time. What is asked for together is committed together:
 * each piece of work in a savepoint of its own, so that one that fails takes nothing with it, and one sync for all.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { Row, SqlValue, Transaction } from '../database/database.ts';
import { retryWhileBusy } from './retry-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** How many pieces of work share a commit at most. */
const maxTogether = 100;

interface Job {
  readonly work: (transaction: Transaction) => MaybePromise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface FinishedJob {
  readonly job: Job;
  readonly value: unknown;
}

export class SqliteWriter {
  private readonly waiting: Job[] = [];
  private draining: Promise<void> | undefined;

  constructor(
    private readonly connection: SqliteConnection,
    /** Told the topics of what was committed. */
    private readonly notify: (topics: ReadonlySet<string>) => void,
  ) {}

  write<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.draining ??= this.drain();
    });
  }

  /** Settles when nothing is left to write. */
  async idle(): Promise<void> {
    while (this.draining !== undefined) await this.draining;
  }

  private async drain(): Promise<void> {
    // Whatever is asked for in the same moment shares the commit.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      await this.commitTogether(this.waiting.splice(0, maxTogether));
      // Whoever writes again as soon as it may would otherwise keep timers and sockets from ever being served.
      await new Promise(setImmediate);
    }
    this.draining = undefined;
  }

  private async commitTogether(jobs: readonly Job[]): Promise<void> {
    const topics = new Set<string>();
    const done: FinishedJob[] = [];
    const left = new Set(jobs);
    try {
      await retryWhileBusy(() => this.connection.exec('BEGIN IMMEDIATE'));
      for (const job of jobs) {
        const value = await this.runJob(job, { topics, alone: jobs.length === 1 });
        if (value !== failed) done.push({ job, value });
        else left.delete(job);
      }
      this.connection.exec('COMMIT');
    } catch (error) {
      this.rollback();
      for (const { reject } of left) reject(error);
      return;
    }
    this.notify(topics);
    for (const { job, value } of done) job.resolve(value);
  }

  /** Rejects a job that fails by itself; throws if the whole transaction is lost with it. */
  private async runJob({ work, reject }: Job, group: { topics: Set<string>; alone: boolean }): Promise<unknown> {
    const transaction = new SqliteTransaction(this.connection);
    if (!group.alone) this.connection.exec('SAVEPOINT bridle');
    try {
      const value = await work(transaction);
      transaction.end();
      if (!group.alone) this.connection.exec('RELEASE bridle');
      for (const topic of transaction.topics) group.topics.add(topic);
      return value;
    } catch (error) {
      transaction.close();
      if (group.alone) throw error;
      // Where the database has rolled everything back by itself, there is no savepoint, and this throws.
      this.undoJob(error);
      reject(error);
      return failed;
    }
  }

  private undoJob(cause: unknown): void {
    try {
      this.connection.exec('ROLLBACK TO bridle; RELEASE bridle');
    } catch {
      throw cause;
    }
  }

  private rollback(): void {
    try {
      this.connection.exec('ROLLBACK');
    } catch {
      return; // The database had rolled back by itself.
    }
  }
}

const failed = Symbol('failed');

/** Once a statement failed nothing more is done: the database may have left the transaction, and would commit each alone. */
class SqliteTransaction implements Transaction {
  readonly topics = new Set<string>();
  private failure: { readonly error: unknown } | undefined;
  private isClosed = false;

  constructor(private readonly connection: SqliteConnection) {}

  all(sql: string, params: readonly SqlValue[] = []): readonly Row[] {
    return this.attempt(() => this.connection.all(sql, params));
  }

  run(sql: string, params: readonly SqlValue[] = []): number {
    return this.attempt(() => this.connection.run(sql, params));
  }

  lock(): void {
    this.attempt(() => undefined);
  }

  notify(topic: string): void {
    this.topics.add(topic);
  }

  /** Throws if a statement had failed, even if the work went on regardless. */
  end(): void {
    this.lock();
    this.close();
  }

  close(): void {
    this.isClosed = true;
  }

  private attempt<T>(statement: () => T): T {
    if (this.failure !== undefined) throw this.failure.error;
    if (this.isClosed) throw new BridleError('STORE_FAILED', 'A transaction was used after its end.');
    try {
      return statement();
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}
