/**
 * Connections to a SQLite file. Writes requested together share one commit and one sync; each runs in its own savepoint,
 * so a failing one does not affect the others.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { BridleError } from '../../kernel/errors.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { type Row, type SqlValue, type Transaction, unstorable } from '../database/database.ts';
import { type BoundValue, type DriverStatement, findDriver, type SqliteDriver, sqliteCode } from './sqlite-drivers.ts';

/** Prepared statements to cache, least recently used dropped first. */
const maxStatements = 200;

export function openSqliteConnection(path: string): SqliteConnection {
  return new SqliteConnection(findDriver()(path));
}

/** Synchronous. Every method throws the driver's errors. */
export class SqliteConnection {
  private readonly statements = new Map<string, DriverStatement>();

  constructor(private readonly driver: SqliteDriver) {}

  all(sql: string, params: readonly SqlValue[]): readonly Row[] {
    const bound = params.map(bind);
    return this.statement(sql).all(bound);
  }

  run(sql: string, params: readonly SqlValue[]): number {
    const bound = params.map(bind);
    return this.statement(sql).run(bound);
  }

  /** Runs statements without parameters or rows. Unlike a prepared statement, a failed one leaves nothing open. */
  exec(sql: string): void {
    this.driver.exec(sql);
  }

  close(): void {
    this.statements.clear();
    this.driver.close();
  }

  private statement(sql: string): DriverStatement {
    const { statements } = this;
    const prepared = statements.get(sql) ?? this.driver.prepare(sql);
    statements.delete(sql);
    statements.set(sql, prepared);
    if (statements.size > maxStatements) statements.delete(statements.keys().next().value as string);
    return prepared;
  }
}

/** Drivers bind numbers as floats; integers must stay integers in columns without a type. */
function bind(value: SqlValue): BoundValue {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) throw unstorable(value);
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) throw unstorable(value);
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** SQLite's result codes for a locked file: the low byte of what a driver reports. */
const busy = new Set([5, 6]);

/** How long another process may keep the file locked. */
const maxWaitMs = 30_000;
const firstPauseMs = 1;
const longestPauseMs = 12;

/**
 * Retries while another process has locked the file, without blocking the event loop. Synchronous if it is not locked.
 */
export function retryWhileBusy<T>(attempt: () => T): T | Promise<T> {
  try {
    return attempt();
  } catch (error) {
    if (!isBusy(error)) throw error;
    return retry(attempt);
  }
}

async function retry<T>(attempt: () => T): Promise<T> {
  const end = performance.now() + maxWaitMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    // Jitter, so that several waiters do not retry at the same moment.
    await sleep(pause * (0.5 + Math.random()));
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  return busy.has(sqliteCode(error) ?? 0);
}

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

/** The writes of one process, one transaction at a time. */
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
