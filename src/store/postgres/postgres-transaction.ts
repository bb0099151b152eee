/** One transaction on one connection to Postgres. */

import type { PoolClient, QueryResult } from 'pg';
import { BridleError } from '../../kernel/errors.ts';
import { type Row, type SqlValue, type Transaction, unstorable } from '../database/database.ts';

export interface TransactionOptions {
  readonly channel: string;
  /** The number of the advisory lock for a name. */
  readonly lockOf: (name: string) => string;
}

const maxPrepared = 300;

interface Statement {
  readonly text: string;
  /** Undefined: not prepared on the server. */
  readonly name: string | undefined;
}

const prepared = new Map<string, Statement>();

/** The first statements are prepared under a short name. */
function statementOf(sql: string): Statement {
  const existing = prepared.get(sql);
  if (existing !== undefined) return existing;
  const text = numberParameters(sql);
  if (prepared.size >= maxPrepared) return { text, name: undefined };
  const statement = { text, name: `bridle_${prepared.size}` };
  prepared.set(sql, statement);
  return statement;
}

/** Writes `$1` for `?`, except in quotes. `?1` refers to the first parameter again. */
export function numberParameters(sql: string): string {
  let count = 0;
  return sql.replaceAll(/'[^']*'|"[^"]*"|\?(\d*)/g, (part: string, number?: string) => {
    if (number === undefined) return part;
    return `$${number === '' ? ++count : number}`;
  });
}

export function query(client: PoolClient, sql: string, params: readonly SqlValue[]): Promise<QueryResult<Row>> {
  for (const value of params) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) throw unstorable(value);
    if (typeof value === 'number' && !Number.isFinite(value)) throw unstorable(value);
  }
  const { text, name } = statementOf(sql);
  return client.query<Row>({ text, values: [...params], ...(name === undefined ? {} : { name }) });
}

/** After a failed statement nothing more runs: the server would refuse it as well. */
export class PostgresTransaction implements Transaction {
  readonly topics = new Set<string>();
  private failure: { readonly error: unknown } | undefined;
  /** Only writes wait for BEGIN. Replies arrive in order, so a later query fails if BEGIN failed. */
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
    // Outside a transaction it would be committed immediately.
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

  /** Throws if a statement failed, even if the work ignored it. */
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
    if (this.isClosed) throw new BridleError('STORE_FAILED', 'A transaction was used after it ended.');
    try {
      const result = await query(this.client, sql, params);
      // Replies arrive in order, so BEGIN has succeeded or failed by now.
      this.throwIfFailed();
      return result;
    } catch (error) {
      // The first failure is the cause; the server refuses everything after it.
      this.failure ??= { error };
      throw this.failure.error;
    }
  }

  private throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }
}
