/**
 * The writes of one process to a SQLite file, one transaction at a time. Writes requested together share one commit and
 * one sync; each runs in its own savepoint, so a failing one does not affect the others.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { Row, SqlValue, Transaction } from '../database/database.ts';
import { retryWhileBusy } from './sqlite-error.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** The most writes that share a commit. */
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
    /** Called with the topics of a commit. */
    private readonly notify: (topics: ReadonlySet<string>) => void,
  ) {}

  write<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.draining ??= this.drain();
    });
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    while (this.draining !== undefined) await this.draining;
  }

  private async drain(): Promise<void> {
    // Writes requested in the same tick share the commit.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      await this.commitTogether(this.waiting.splice(0, maxTogether));
      // Otherwise a caller that writes in a loop would starve timers and sockets.
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

  /** Rejects a job that fails alone. Throws if the whole transaction is lost. */
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
      // Throws if the database rolled everything back itself: then there is no savepoint.
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
      return; // The database has already rolled back.
    }
  }
}

const failed = Symbol('failed');

/**
 * After a failed statement nothing more runs: the database may have left the transaction and would commit each
 * statement.
 */
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

  /** Throws if a statement failed, even if the work ignored it. */
  end(): void {
    this.lock();
    this.close();
  }

  close(): void {
    this.isClosed = true;
  }

  private attempt<T>(statement: () => T): T {
    if (this.failure !== undefined) throw this.failure.error;
    if (this.isClosed) throw new BridleError('STORE_FAILED', 'A transaction was used after it ended.');
    try {
      return statement();
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}
