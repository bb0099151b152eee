/** One connection to a SQLite file, through `node:sqlite`, or libsql if this Node version has no SQLite. */

import { checkSqlValue, type Row, type SqlValue } from '../database/database.ts';
import { libsqlDriver } from './libsql-driver.ts';
import { type BoundValue, type DriverStatement, nodeSqliteDriver, type OpenDriver } from './sqlite-driver.ts';

/** Synchronous. Every method throws the driver's errors. */
export interface SqliteConnection {
  all(sql: string, params: readonly SqlValue[]): readonly Row[];
  run(sql: string, params: readonly SqlValue[]): number;
  /** Runs statements without parameters or rows. Unlike a prepared statement, a failed one leaves nothing open. */
  exec(sql: string): void;
  close(): void;
}

/** Prepared statements to cache, least recently used dropped first. */
const maxStatements = 200;

export async function openSqliteConnection(path: string): Promise<SqliteConnection> {
  const driver = (await findDriver())(path);
  const statements = new Map<string, DriverStatement>();

  const statement = (sql: string): DriverStatement => {
    const prepared = statements.get(sql) ?? driver.prepare(sql);
    statements.delete(sql);
    statements.set(sql, prepared);
    if (statements.size > maxStatements) statements.delete(statements.keys().next().value as string);
    return prepared;
  };

  return {
    all: (sql, params) => statement(sql).all(bind(params)),
    run: (sql, params) => statement(sql).run(bind(params)),
    exec: (sql) => driver.exec(sql),
    close: () => {
      statements.clear();
      driver.close();
    },
  };
}

/** Drivers bind numbers as floats; integers must stay integers in columns without a type. */
function bind(params: readonly SqlValue[]): readonly BoundValue[] {
  return params.map((value) => {
    checkSqlValue(value);
    return Number.isSafeInteger(value) ? BigInt(value as number) : value;
  });
}

let chosenDriver: Promise<OpenDriver> | undefined;

function findDriver(): Promise<OpenDriver> {
  chosenDriver ??= pickDriver();
  return chosenDriver;
}

async function pickDriver(): Promise<OpenDriver> {
  return nodeSqliteDriver() ?? libsqlDriver();
}
