/** What the store needs of a database, so that every part of it is written once for SQLite and Postgres. */

import type { MaybePromise } from '../../kernel/maybe-promise.ts';

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Queries {
  /** The rows of a statement. `?` stands for a parameter in both dialects; whole numbers come back as numbers. */
  all(sql: string, params?: readonly SqlValue[]): MaybePromise<readonly Row[]>;
  /** Runs a statement and tells how many rows it changed. */
  run(sql: string, params?: readonly SqlValue[]): MaybePromise<number>;
}

/** Queries inside a transaction. Those that are asked for together travel together, and are answered in that order. */
export interface Transaction extends Queries {
  /** Waits until no other transaction holds this name, and holds it until the end. SQLite has one writer anyway. */
  lock(name: string): MaybePromise<void>;
  /** Once committed, wakes whoever listens to this topic, in every process; of a transaction that changes nothing, maybe only here. */
  notify(topic: string): MaybePromise<void>;
}

export interface Database extends Queries {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads what is committed; writing is refused, or not safe. */
  all(sql: string, params?: readonly SqlValue[]): MaybePromise<readonly Row[]>;
  /** A transaction of its own. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  /**
   * One transaction that may write. Settles when it is durable; whatever `work` throws rolls it back. It may be run again
   * where nothing of it was kept, so that it changes nothing but the database.
   */
  write<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<T>;
  /** Calls `wake` soon after a topic was notified, and maybe without a cause; until the returned function is called. */
  listen(topic: string, wake: () => void): Promise<() => void>;
  close(): Promise<void>;
}
