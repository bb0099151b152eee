/** One transaction on one connection to Postgres. */

import type { PoolClient, QueryResult } from 'pg';
import { BridleError } from '../../kernel/errors.ts';
import type { Row, SqlValue, Transaction } from '../database/database.ts';
import { postgresStatement } from './postgres-sql.ts';
import { checkSqlValue } from '../database/check-sql-value.ts';

export interface TransactionOptions {
  readonly channel: string;
  /** The number of an advisory lock. */
  readonly lockOf: (name: string) => string;
}

export function query(client: PoolClient, sql: string, params: readonly SqlValue[]): Promise<QueryResult<Row>> {
  for (const value of params) checkSqlValue(value);
  const { text, name } = postgresStatement(sql);
  return client.query<Row>({ text, values: [...params], ...(name === undefined ? {} : { name }) });
}

/** Once a statement failed nothing more is done: the server would refuse it, too. */
export class PostgresTransaction implements Transaction {
  readonly topics = new Set<string>();
  private failure: { readonly error: unknown } | undefined;
  /** Only what changes something waits for it: answers come in order, and what follows fails if it does. */
  private readonly begun: Promise<void>;
  private hasBegun = false;
  private isClosed = false;

  constructor(
    private readonly client: PoolClient,
    private readonly options: TransactionOptions,
  ) {
    this.begun = this.begin();
  }

  async all(sql: string, params: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.attempt(sql, params)).rows;
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<number> {
    // Outside of a transaction it would be kept whatever comes after it.
    if (!this.hasBegun) await this.begun;
    return (await this.attempt(sql, params)).rowCount ?? 0;
  }

  async lock(name: string): Promise<void> {
    await this.attempt('SELECT pg_advisory_xact_lock(CAST(? AS BIGINT))', [this.options.lockOf(name)]);
  }

  async notify(topic: string): Promise<void> {
    if (this.topics.has(topic)) return;
    this.topics.add(topic);
    await this.attempt('SELECT pg_notify(?, ?)', [this.options.channel, topic]);
  }

  /** Throws if a statement had failed, even if the work went on regardless. */
  end(): void {
    this.throwIfFailed();
    this.close();
  }

  close(): void {
    this.isClosed = true;
  }

  private async begin(): Promise<void> {
    try {
      await this.client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      this.hasBegun = true;
    } catch (error) {
      this.failure ??= { error };
    }
  }

  private async attempt(sql: string, params: readonly SqlValue[]): Promise<QueryResult<Row>> {
    this.throwIfFailed();
    if (this.isClosed) throw new BridleError('STORE_FAILED', 'A transaction was used after its end.');
    try {
      const result = await query(this.client, sql, params);
      // Answers come in order: by now it is known if the transaction was begun.
      this.throwIfFailed();
      return result;
    } catch (error) {
      // The first failure is the cause: after it the server refuses whatever was on its way.
      this.failure ??= { error };
      throw this.failure.error;
    }
  }

  private throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }
}
