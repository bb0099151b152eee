/** The database interface of the store, so that each part is written once for SQLite and Postgres. */

import { BridleError } from '../../kernel/errors.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { Dialect } from './dialects.ts';

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Queries {
  /** The rows of a statement. `?` is a parameter in both dialects; integers are returned as numbers. */
  all(sql: string, params?: readonly SqlValue[]): MaybePromise<readonly Row[]>;
  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, params?: readonly SqlValue[]): MaybePromise<number>;
}

/** Queries inside a transaction. Queries issued together are sent together and answered in order. */
export interface Transaction extends Queries {
  /** Waits for a named lock and keeps it until the transaction ends. A no-op on SQLite, which has one writer. */
  lock(name: string): MaybePromise<void>;
  /**
   * After the commit, wakes all listeners of a topic, in every process. If the transaction changed nothing, maybe only
   * here.
   */
  notify(topic: string): MaybePromise<void>;
}

export interface Database extends Queries {
  readonly dialect: Dialect;
  /** Reads committed data. Do not use it to write. */
  all(sql: string, params?: readonly SqlValue[]): MaybePromise<readonly Row[]>;
  /** Runs one statement in its own transaction. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  /**
   * Runs `work` in a transaction that may write. Resolves when it is durable; if `work` throws, it is rolled back.
   * `work` may run again if nothing was committed, so it must have no effect outside the database.
   */
  write<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<T>;
  /** Calls `wake` soon after a topic was notified, possibly without cause, until the returned function is called. */
  listen(topic: string, wake: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/**
 * The error for a value that a database would alter: NUL truncates text, a lone surrogate becomes another character, and
 * a number may not be finite.
 */
export function unstorable(value: string | number): BridleError {
  const what = typeof value === 'number' ? `The number ${value}` : 'Text with a NUL character or a lone surrogate';
  return new BridleError('STORE_FAILED', `${what} cannot be stored.`);
}
