/**
 * A Postgres database. Every statement sees what was committed before it. A transaction is retried only if certainly
 * nothing was committed: the server rolled it back, or the connection was lost before the commit was sent.
 */

import { createHash } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { BridleError } from '../../kernel/errors.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { Database, Row, SqlValue, Transaction } from '../database/database.ts';
import { postgres } from '../database/dialects.ts';
import { postgresConnection, type PostgresConnection, type PostgresOptions } from './postgres-connection.ts';
import { isConnectionLost, isRolledBack, postgresError } from './postgres-error.ts';
import { PostgresListener } from './postgres-listener.ts';
import { PostgresTransaction, query } from './postgres-transaction.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Topics } from '../database/topics.ts';
import { UnknownCommitOutcome } from '../database/write-once.ts';

/** How long to retry while the server is unreachable. */
const maxRetryMs = 15_000;
const firstPauseMs = 20;
const longestPauseMs = 500;
const maxConnections = 10;

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const connection = postgresConnection(options);
  const database = new PostgresDatabase(connection);
  try {
    await database.ensureSchema(options.create);
    return database;
  } catch (error) {
    await database.close();
    throw postgresError(connection, error);
  }
}

/** The result of one attempt: a value, or an error after which it may be retried. */
type Attempt<T> = { readonly value: T; readonly again?: undefined } | { readonly again: { readonly error: unknown } };

type TransactionResult<T> = { readonly result: T; readonly topics: ReadonlySet<string> };

class PostgresDatabase implements Database {
  readonly dialect = postgres;
  // Private fields: logging a store must not print the password.
  readonly #connection: PostgresConnection;
  readonly #pool: Pool;
  readonly #listener: PostgresListener;
  private readonly topics = new Topics();
  private readonly active = new Set<Promise<unknown>>();
  private closing: Promise<void> | undefined;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#pool = new Pool({ ...connection.config, max: maxConnections, allowExitOnIdle: true });
    this.#listener = new PostgresListener(connection, this.topics);
    // Queries report these errors as well; without a listener they would crash the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** Fails immediately if the server is unreachable. Creates the schema if requested. */
  async ensureSchema(create: boolean): Promise<void> {
    const { schema } = this.#connection;
    const found = await this.#pool.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    if (!create || found.rows.length > 0) return;
    await this.write(async (transaction) => {
      await transaction.lock('schema');
      await transaction.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    });
  }

  all(sql: string, params: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.runTracked((client) => this.read(client, sql, params));
  }

  run(sql: string, params: readonly SqlValue[] = []): Promise<number> {
    return this.write((transaction) => transaction.run(sql, params));
  }

  async write<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    const { result, topics } = await this.runTracked((client) => this.transact(client, work));
    for (const topic of topics) this.topics.wake(topic);
    return result;
  }

  async listen(topic: string, wake: () => void): Promise<() => void> {
    this.mustBeOpen();
    return this.#listener.listen(topic, wake);
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    // Idle connections do not keep the process alive, so it could exit before they are closed.
    const alive = setInterval(() => undefined, 60_000);
    try {
      await this.#listener.close();
      await Promise.allSettled(this.active);
      await this.#pool.end();
    } finally {
      clearInterval(alive);
    }
  }

  private async read(client: PoolClient, sql: string, params: readonly SqlValue[]): Promise<Attempt<readonly Row[]>> {
    try {
      const { rows } = await query(client, sql, params);
      client.release();
      return { value: rows };
    } catch (error) {
      client.release(isConnectionLost(error));
      return isConnectionLost(error) ? { again: { error } } : this.fail(error);
    }
  }

  private async transact<T>(
    client: PoolClient,
    work: (transaction: Transaction) => MaybePromise<T>,
  ): Promise<Attempt<TransactionResult<T>>> {
    const transaction = new PostgresTransaction(client, {
      channel: this.#listener.channel,
      lockOf: (name) => lockNumber(this.#connection.schema, name),
    });
    let result: T;
    try {
      result = await work(transaction);
      transaction.end();
    } catch (error) {
      transaction.close();
      await rollBackAndRelease(client, error);
      return isConnectionLost(error) || isRolledBack(error) ? { again: { error } } : this.fail(error);
    }
    const undone = await this.commit(client);
    return undone ?? { value: { result, topics: transaction.topics } };
  }

  /** Undefined if it was committed. */
  private async commit(client: PoolClient): Promise<{ readonly again: { readonly error: unknown } } | undefined> {
    try {
      const { command } = await client.query('COMMIT');
      if (command !== 'COMMIT') throw new BridleError('STORE_FAILED', 'The server rolled back a transaction.');
      client.release();
      return undefined;
    } catch (error) {
      client.release(true);
      // A rollback caused by another transaction is reported. After a lost reply, the outcome is unknown.
      if (isRolledBack(error)) return { again: { error } };
      return this.fail(isConnectionLost(error) ? new UnknownCommitOutcome(this.#connection.at, error) : error);
    }
  }

  private async connect(): Promise<Attempt<PoolClient>> {
    try {
      return { value: await this.#pool.connect() };
    } catch (error) {
      return isConnectionLost(error) ? { again: { error } } : this.fail(error);
    }
  }

  private async runTracked<T>(attempt: (client: PoolClient) => Promise<Attempt<T>>): Promise<T> {
    this.mustBeOpen();
    const work = this.retry(attempt);
    this.active.add(work);
    try {
      return await work;
    } finally {
      this.active.delete(work);
    }
  }

  /** Retries until it succeeds, or the server has been unreachable for too long. */
  private async retry<T>(attempt: (client: PoolClient) => Promise<Attempt<T>>): Promise<T> {
    const end = performance.now() + maxRetryMs;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      const connected = await this.connect();
      const tried = connected.again === undefined ? await attempt(connected.value) : connected;
      if (tried.again === undefined) return tried.value;
      if (performance.now() > end || this.closing !== undefined) return this.fail(tried.again.error);
      await sleep(pause * (0.5 + Math.random()));
    }
  }

  private fail(error: unknown): never {
    throw postgresError(this.#connection, error);
  }

  private mustBeOpen(): void {
    if (this.closing === undefined) return;
    throw new BridleError('STORE_FAILED', `The store ${this.#connection.at} is closed.`);
  }
}

/** Discards a connection that failed, or on which the rollback failed. */
async function rollBackAndRelease(client: PoolClient, error: unknown): Promise<void> {
  if (isConnectionLost(error)) {
    client.release(true);
    return;
  }
  try {
    await client.query('ROLLBACK');
    client.release();
  } catch {
    client.release(true);
  }
}

/** Advisory locks are numbers shared by all schemas of a database. */
function lockNumber(schema: string, name: string): string {
  const digest = createHash('sha256').update(`${schema}\n${name}`).digest();
  return digest.readBigInt64BE().toString();
}
