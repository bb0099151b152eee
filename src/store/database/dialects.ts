/** Everything that differs between the SQL of the databases. All other statements of the store run on each of them. */

export type ColumnType = 'text' | 'number';

export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Selects a row if a table with a given name exists. */
  readonly findTable: string;
  /** Selects all definitions. Undefined: a server is trusted with its own schema. */
  readonly definitions: string | undefined;
  /** Compares a table with its indexes and selects `ok` or a problem. Undefined: a server is trusted with its indexes. */
  readonly checkTable: ((table: string) => string) | undefined;
  /** Selects the time in milliseconds since 1970. Undefined: the database has no clock of its own. */
  readonly time: string | undefined;
}

export const sqlite: Dialect = {
  name: 'sqlite',
  types: { text: 'TEXT', number: 'BIGINT' },
  findTable: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?",
  definitions:
    "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name",
  checkTable: (table) => `PRAGMA integrity_check(${table})`,
  time: undefined,
};

export const postgres: Dialect = {
  name: 'postgres',
  // Compares text byte by byte, like SQLite, independent of the server's locale.
  types: { text: 'TEXT COLLATE "C"', number: 'BIGINT' },
  findTable: 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?',
  definitions: undefined,
  checkTable: undefined,
  time: 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS at',
};
