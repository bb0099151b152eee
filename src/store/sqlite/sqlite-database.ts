/**
 * SQLite in a file. One connection reads, another writes; readers see the last commit and never wait. Several processes
 * can use one file: a write waits for its turn without blocking the event loop.
 */

import { statSync } from 'node:fs';
import { BridleError } from '../../kernel/errors.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { Database, Row, SqlValue, Transaction } from '../database/database.ts';
import { sqlite } from '../database/dialects.ts';
import { markOpen } from './check-wal.ts';
import { openSqliteConnection, retryWhileBusy, type SqliteConnection, SqliteWriter } from './sqlite-connection.ts';
import { isSqliteError, sqliteError } from './sqlite-drivers.ts';
import { Topics } from '../database/topics.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly durability: 'full' | 'process';
  /** False: no write-ahead log, for a file that is renamed afterwards. */
  readonly log?: boolean | undefined;
  /** A larger write-ahead log, in bytes, is moved to the database file. Default: SQLite decides. */
  readonly maxLogBytes?: number | undefined;
}

/** Opens a file that exists. */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  try {
    const reader = openSqliteConnection(options.path);
    const writer = openSqliteConnection(options.path);
    for (const connection of [reader, writer]) await prepareConnection(connection, options);
    reader.all('PRAGMA query_only = ON', []);
    const database = new SqliteDatabase(options.path, reader, writer);
    if (logBytes(options.path) > (options.maxLogBytes ?? Infinity)) database.mergeLog();
    return database;
  } catch (error) {
    throw sqliteError(options.path, error);
  }
}

function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

async function prepareConnection(
  connection: SqliteConnection,
  { durability, log = true }: SqliteOptions,
): Promise<void> {
  const settings = [
    // Do not run code from a damaged or planted schema, and check pages as they are read.
    'PRAGMA trusted_schema = OFF',
    'PRAGMA cell_size_check = ON',
    `PRAGMA journal_mode = ${log ? 'WAL' : 'DELETE'}`,
    `PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`,
    // On macOS a plain fsync does not reach the disk; these do.
    `PRAGMA fullfsync = ${durability === 'full' ? 'ON' : 'OFF'}`,
    `PRAGMA checkpoint_fullfsync = ${durability === 'full' ? 'ON' : 'OFF'}`,
  ];
  for (const setting of settings) await retryWhileBusy(() => connection.all(setting, []));
}

class SqliteDatabase implements Database {
  readonly dialect = sqlite;
  private readonly topics = new Topics();
  private readonly writes: SqliteWriter;
  private readonly watch: FileWatch;
  private readonly markClosed: () => void;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    private readonly reader: SqliteConnection,
    private readonly writer: SqliteConnection,
  ) {
    this.markClosed = markOpen(path);
    this.writes = new SqliteWriter(writer, (topics) => {
      for (const topic of topics) this.topics.wake(topic);
    });
    this.watch = new FileWatch(
      () => this.version(),
      () => this.topics.wakeAll(),
    );
  }

  all(sql: string, params: readonly SqlValue[] = []): MaybePromise<readonly Row[]> {
    this.mustBeOpen();
    try {
      const rows = retryWhileBusy(() => this.reader.all(sql, params));
      return rows instanceof Promise ? rows.catch((error: unknown) => this.fail(error)) : rows;
    } catch (error) {
      return this.fail(error);
    }
  }

  run(sql: string, params: readonly SqlValue[] = []): Promise<number> {
    return this.write((transaction) => transaction.run(sql, params));
  }

  async write<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    this.mustBeOpen();
    try {
      return await this.writes.write(work);
    } catch (error) {
      return this.fail(error);
    }
  }

  listen(topic: string, wake: () => void): Promise<() => void> {
    this.mustBeOpen();
    const remove = this.topics.add(topic, wake);
    this.watch.start();
    return Promise.resolve(() => {
      remove();
      if (this.topics.isEmpty) this.watch.stop();
    });
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.watch.stop();
    await this.writes.idle();
    this.mergeLog();
    this.reader.close();
    this.writer.close();
    this.markClosed();
  }

  /**
   * SQLite merges the log when the last connection closes, but libsql closes only when its statements are collected.
   */
  mergeLog(): void {
    try {
      this.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      return; // Another process uses the file and will merge it.
    }
  }

  /** Changes when another process commits: no other connection of this process writes. */
  private version(): number | undefined {
    try {
      return this.writer.all('PRAGMA data_version', [])[0]?.['data_version'] as number | undefined;
    } catch {
      return undefined;
    }
  }

  private mustBeOpen(): void {
    if (this.closing !== undefined) throw new BridleError('STORE_FAILED', `The store ${this.path} is closed.`);
  }

  private fail(error: unknown): never {
    // Errors thrown by the caller's work pass through unchanged.
    throw isSqliteError(error) ? sqliteError(this.path, error) : error;
  }
}

const firstPollMs = 10;
const longestPollMs = 100;
const growth = 1.3;

/** Polls a file for commits of other processes: often after a change, less often while it is idle. */
class FileWatch {
  private timer: NodeJS.Timeout | undefined;
  private pause = firstPollMs;
  private last: number | undefined;

  constructor(
    /** A number that changes with every commit of another process; undefined if it cannot be read now. */
    private readonly version: () => number | undefined,
    private readonly changed: () => void,
  ) {}

  start(): void {
    if (this.timer !== undefined) return;
    this.last = this.version();
    this.pause = firstPollMs;
    this.schedule();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private schedule(): void {
    this.timer = setTimeout(() => this.poll(), this.pause);
  }

  private poll(): void {
    const version = this.version();
    const changed = version !== undefined && version !== this.last;
    if (version !== undefined) this.last = version;
    this.pause = changed ? firstPollMs : Math.min(this.pause * growth, longestPollMs);
    this.schedule();
    if (changed) this.changed();
  }
}
