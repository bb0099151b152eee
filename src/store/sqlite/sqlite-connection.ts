/** One connection to a SQLite file, through `node:sqlite`, or libsql if this Node version has no SQLite. */

import { isUtf8 } from 'node:buffer';
import { BridleError } from '../../kernel/errors.ts';
import { checkSqlValues, type Row, type SqlValue } from '../database/database.ts';

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
  if (params.length === 0) return params;
  checkSqlValues(params);
  return params.map((value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value));
}

let chosenDriver: Promise<OpenDriver> | undefined;

function findDriver(): Promise<OpenDriver> {
  chosenDriver ??= Promise.resolve(nodeSqliteDriver() ?? libsqlDriver());
  return chosenDriver;
}

/** Integers are bound as bigint: drivers bind every number as a float. */
type BoundValue = SqlValue | bigint;

interface DriverStatement {
  all(params: readonly BoundValue[]): readonly Row[];
  run(params: readonly BoundValue[]): number;
}

/** Synchronous. Every method throws the driver's errors. */
interface SqliteDriver {
  prepare(sql: string): DriverStatement;
  exec(sql: string): void;
  close(): void;
}

type OpenDriver = (path: string) => SqliteDriver;

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

/** The driver built into newer versions of Node. Undefined if this version has none. */
function nodeSqliteDriver(): OpenDriver | undefined {
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

/** For Node versions without `node:sqlite`. */
async function libsqlDriver(): Promise<OpenDriver> {
  const { default: Libsql } = await import('libsql');
  return (path) => {
    const database = new Libsql(path, { timeout: 0 });
    return {
      prepare: (sql) => {
        const plain = database.prepare(sql);
        const reads = /^\s*(SELECT|WITH)\b/i.test(sql);
        const statement = reads ? database.prepare(withTextsAsBytes(sql, plain.columns())) : plain;
        return {
          all: (params) => statement.all(params).map(withTexts),
          run: (params) => statement.run(params).changes,
        };
      },
      exec: (sql) => void database.exec(sql),
      close: () => void database.close(),
    };
  };
}

/**
 * libsql aborts the process if a text is not UTF-8, and one damaged byte is enough. So texts are read as bytes and
 * decoded here.
 */
function withTextsAsBytes(sql: string, columns: readonly { readonly name: string }[]): string {
  const names = columns.map((_, i) => `c${i}`);
  const values = columns.map(({ name }, i) => {
    const value = `CASE typeof(c${i}) WHEN 'text' THEN CAST(c${i} AS BLOB) ELSE c${i} END`;
    return `${value} AS "${name.replaceAll('"', '""')}"`;
  });
  return `WITH bridle_rows (${names.join(', ')}) AS (${sql}) SELECT ${values.join(', ')} FROM bridle_rows`;
}

/** Decodes the texts of a row. A store has no other binary values. */
function withTexts(row: unknown): Row {
  const read = row as Record<string, SqlValue | ArrayBuffer>;
  for (const name in read) {
    const value = read[name];
    if (typeof value === 'object' && value !== null) read[name] = utf8Text(Buffer.from(value as ArrayBuffer));
  }
  return read as Row;
}

function utf8Text(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new BridleError(
    'STORE_DAMAGED',
    'A text in the store is damaged: it is not UTF-8. Restore the store from a backup.',
  );
}
