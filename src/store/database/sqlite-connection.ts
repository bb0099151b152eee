/** One connection to a SQLite file, by the driver this Node has: `node:sqlite`, or libsql where that is missing. */

import type { Row, SqlValue } from './database.ts';
import { checkSqlValue } from './sql-values.ts';

/** Synchronous; every method throws what the driver throws. */
export interface SqliteConnection {
  all(sql: string, params: readonly SqlValue[]): readonly Row[];
  run(sql: string, params: readonly SqlValue[]): number;
  /** Statements without parameters or rows. What fails leaves nothing open, unlike a kept statement. */
  exec(sql: string): void;
  close(): void;
}

type Bound = Exclude<SqlValue, number> | number | bigint;

interface DriverStatement {
  all(params: readonly Bound[]): readonly Row[];
  run(params: readonly Bound[]): number;
}

interface Driver {
  prepare(sql: string): DriverStatement;
  exec(sql: string): void;
  close(): void;
}

type OpenDriver = (path: string) => Driver;

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

/** The part of `node:sqlite` that is used. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => {
    prepare(sql: string): {
      all(...params: readonly Bound[]): readonly Row[];
      run(...params: readonly Bound[]): { readonly changes: number | bigint };
    };
    exec(sql: string): void;
    close(): void;
  };
}

let found: Promise<OpenDriver> | undefined;

function findDriver(): Promise<OpenDriver> {
  found ??= pickDriver();
  return found;
}

async function pickDriver(): Promise<OpenDriver> {
  const builtIn = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
  return builtIn === undefined ? libsqlDriver() : nodeDriver(builtIn);
}

function nodeDriver({ DatabaseSync }: NodeSqlite): OpenDriver {
  return (path) => {
    const database = new DatabaseSync(path);
    return {
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          all: (params) => statement.all(...params),
          run: (params) => Number(statement.run(...params).changes),
        };
      },
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
    };
  };
}

async function libsqlDriver(): Promise<OpenDriver> {
  const { default: Libsql } = await import('libsql');
  return (path) => {
    const database = new Libsql(path, { timeout: 0 });
    return {
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          all: (params) => statement.all(params) as readonly Row[],
          run: (params) => statement.run(params).changes,
        };
      },
      exec: (sql) => void database.exec(sql),
      close: () => void database.close(),
    };
  };
}
