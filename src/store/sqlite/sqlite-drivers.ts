/** The drivers of SQLite, `node:sqlite`, or libsql if this Node version has no SQLite, and their errors. */

import { isUtf8 } from 'node:buffer';
import { installCommand } from '../../files/own-packages.ts';
import { BridleError, messageOf, type ErrorCode } from '../../kernel/errors.ts';
import type { Row, SqlValue } from '../database/database.ts';
import { loadLibsql } from './libsql-package.ts';

let chosenDriver: OpenDriver | undefined;

/** Opens a file with the driver of this Node version. Throws if there is none. */
export function findDriver(): OpenDriver {
  return (chosenDriver ??= nodeSqliteDriver() ?? libsqlDriver());
}

/** Why no store can be opened in a file; undefined if one can. */
export function driverProblem(): string | undefined {
  try {
    findDriver();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Integers are bound as bigint: drivers bind every number as a float. */
export type BoundValue = SqlValue | bigint;

export interface DriverStatement {
  all(params: readonly BoundValue[]): readonly Row[];
  run(params: readonly BoundValue[]): number;
}

/** Synchronous. Every method throws the driver's errors. */
export interface SqliteDriver {
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

/** The SQLite of newer versions of Node. Undefined if this version has none. */
export function nodeSqlite(): NodeSqlite | undefined {
  return process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
}

function nodeSqliteDriver(): OpenDriver | undefined {
  const builtIn = nodeSqlite();
  if (builtIn === undefined) return undefined;
  return (path) => {
    const database = new builtIn.DatabaseSync(path);
    return {
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          all: (params) => {
            try {
              return statement.all(...params);
            } catch (error) {
              throw readError(error);
            }
          },
          run: (params) => Number(statement.run(...params).changes),
        };
      },
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
    };
  };
}

/** Bridle never stores a number it cannot read back exactly, so such a number means damage. */
function readError(error: unknown): unknown {
  if ((error as { code?: unknown }).code !== 'ERR_OUT_OF_RANGE') return error;
  return new BridleError('STORE_DAMAGED', 'A number in the store is too large to be read exactly.', { cause: error });
}

/** For Node versions without `node:sqlite`. */
function libsqlDriver(): OpenDriver {
  const Libsql = loadLibsql();
  if (Libsql === undefined)
    throw new BridleError(
      'PACKAGE_MISSING',
      `A store in a file needs SQLite, which Node ${process.version} does not include. Install with: ${installCommand('libsql')} (or use Node 22.13 or newer).`,
    );
  return (path) => {
    const database = new Libsql(path, { timeout: 0 });
    return {
      prepare: (sql) => {
        const plain = database.prepare(sql);
        const run = (params: readonly BoundValue[]) => plain.run(params).changes;
        if (!/^\s*(SELECT|WITH)\b/i.test(sql)) return { all: (params) => plain.all(params) as Row[], run };
        const reading = database.prepare(withTextsAsBytes(sql, plain.columns()));
        return { all: (params) => reading.all(params).map(withTexts), run };
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

const sqliteFailures: Readonly<Record<number, readonly [code: ErrorCode, text: string]>> = {
  3: ['STORE_FAILED', 'permission was denied; check the permissions of the file and its folder'],
  5: ['STORE_FAILED', 'another process has locked it; stop that process, or try again'],
  6: ['STORE_FAILED', 'another process has locked it; stop that process, or try again'],
  8: ['STORE_FAILED', 'it cannot be written; check the permissions of the file and its folder'],
  10: ['STORE_FAILED', 'the disk failed to read or write'],
  11: ['STORE_DAMAGED', 'the file is damaged; restore it from a backup, or move it away'],
  13: ['STORE_FAILED', 'the disk is full, or the file may not grow; free some space'],
  14: ['STORE_FAILED', 'it cannot be opened; check that its folder exists and is writable'],
  19: ['STORE_CONFLICT', 'the same row already exists'],
  26: ['STORE_DAMAGED', 'the file is not a database, or is damaged; restore it from a backup, or move it away'],
};

/** SQLite's primary result code; undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown };
  const code = typeof rawCode === 'number' ? rawCode : errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

export function isSqliteError(error: unknown): boolean {
  return sqliteCode(error) !== undefined;
}

/** The Bridle error for an error from the store at `at`. */
export function sqliteError(at: string, error: unknown): BridleError {
  if (error instanceof BridleError) return error;
  const [code, text] = sqliteFailures[sqliteCode(error) ?? -1] ?? ['STORE_FAILED', 'the database refused'];
  return new BridleError(code, `The store ${at}: ${text} (${messageOf(error)}).`, { cause: error });
}
