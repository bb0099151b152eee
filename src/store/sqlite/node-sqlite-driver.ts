/** The SQLite that newer versions of Node bring along. */

import { BridleError } from '../../kernel/errors.ts';
import type { Row } from '../database/database.ts';
import type { BoundValue, OpenDriver } from './sqlite-driver.ts';

/** The part of `node:sqlite` that is used. */
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

/** Undefined where this Node has none. */
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

/** No number is stored that could not be read again: one that is there was not put there. */
function readExactly<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_OUT_OF_RANGE') throw error;
    throw new BridleError('STORE_DAMAGED', 'A number in the store is too large to be read exactly.', { cause: error });
  }
}
