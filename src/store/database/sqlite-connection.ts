/** One connection to a SQLite file, by the driver this Node has: `node:sqlite`, or libsql where that is missing. */

import type { Row, SqlValue } from './database.ts';
import { libsqlDriver } from './libsql-driver.ts';
import { nodeSqliteDriver } from './node-sqlite-driver.ts';
import { checkSqlValue } from './sql-values.ts';
import type { Bound, DriverStatement, OpenDriver } from './sqlite-driver.ts';

/** Synchronous; every method throws what the driver throws. */
export interface SqliteConnection {
  all(sql: string, params: readonly SqlValue[]): readonly Row[];
  run(sql: string, params: readonly SqlValue[]): number;
  /** Statements without parameters or rows. What fails leaves nothing open, unlike a kept statement. */
  exec(sql: string): void;
  close(): void;
}

/** Statements kept ready; the one used longest ago makes room. */
const keptStatements = 200;

export async function openSqliteConnection(path: string): Promise<SqliteConnection> {
  const driver = (await findDriver())(path);
  const kept = new Map<string, DriverStatement>();

  const statement = (sql: string): DriverStatement => {
    const ready = kept.get(sql) ?? driver.prepare(sql);
    kept.delete(sql);
    kept.set(sql, ready);
    if (kept.size > keptStatements) kept.delete(kept.keys().next().value as string);
    return ready;
  };

  return {
    all: (sql, params) => statement(sql).all(bind(params)),
    run: (sql, params) => statement(sql).run(bind(params)),
    exec: (sql) => driver.exec(sql),
    close: () => {
      kept.clear();
      driver.close();
    },
  };
}

/** Drivers bind every number as a float; a whole one must stay whole where no column says so. */
function bind(params: readonly SqlValue[]): readonly Bound[] {
  return params.map((value) => {
    checkSqlValue(value);
    return Number.isSafeInteger(value) ? BigInt(value as number) : value;
  });
}

let found: Promise<OpenDriver> | undefined;

function findDriver(): Promise<OpenDriver> {
  found ??= pickDriver();
  return found;
}

async function pickDriver(): Promise<OpenDriver> {
  return nodeSqliteDriver() ?? libsqlDriver();
}
