/** The driver interface for SQLite, and the driver built into newer versions of Node. */

import { BridleError } from '../../kernel/errors.ts';
import type { Row, SqlValue } from '../database/database.ts';

/** Integers are bound as bigint: drivers bind every number as a float. */
export type BoundValue = SqlValue | bigint;

export interface DriverStatement {
  all(params: readonly BoundValue[]): readonly Row[];
  run(params: readonly BoundValue[]): number;
}

/** Synchronous. Every method throws the driver's errors. */
interface SqliteDriver {
  prepare(sql: string): DriverStatement;
  exec(sql: string): void;
  close(): void;
}

export type OpenDriver = (path: string) => SqliteDriver;

/** The part of `node:sqlite` used here. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => {
    prepare(sql: string): {
      all(...params: readonly BoundValue[]): readonly Row[];
      run(...params: readonly BoundValue[]): { readonly changes: number | bigint };
    };
    exec(sql: string): void;
    close(): void;
  };
}

/** Undefined if this Node version has no SQLite. */
export function nodeSqliteDriver(): OpenDriver | undefined {
  const builtIn = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
  if (builtIn === undefined) return undefined;
  return (path) => {
    const database = new builtIn.DatabaseSync(path);
    return {
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          all: (params) => readExactly(() => statement.all(...params)),
          run: (params) => Number(statement.run(...params).changes),
        };
      },
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
    };
  };
}

/** Bridle never stores a number it cannot read back exactly, so such a number means damage. */
function readExactly<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_OUT_OF_RANGE') throw error;
    throw new BridleError('STORE_DAMAGED', 'A number in the store is too large to be read exactly.', { cause: error });
  }
}
