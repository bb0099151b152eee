/**
 * Migrates the tables of a store, one version at a time, each in one transaction. A store from a newer Bridle is
 * refused before anything is written.
 */

import { createHash } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import type { Database, Queries, Row, Transaction } from '../database/database.ts';
import type { TableMigrations } from './table-migrations.ts';
import { postgresDefinition } from '../postgres/postgres-sql.ts';

type Dialect = Database['dialect'];

interface SchemaVersion {
  /** 0 if there is no store yet. */
  readonly version: number;
  /** A hash of the table definitions when they were created. */
  readonly shape: string;
}

/** The table that every store has. */
const namespaceTables: TableMigrations = {
  1: [
    'CREATE TABLE bridle_namespaces (namespace TEXT NOT NULL PRIMARY KEY, fingerprint TEXT NOT NULL, created_at BIGINT NOT NULL)',
  ],
};

/** Migrates the store to the latest version. */
export async function migrate(database: Database, parts: readonly TableMigrations[]): Promise<void> {
  const steps = [namespaceTables, ...parts];
  const latest = latestVersion(steps);
  let schema = refuseNewer(await readSchemaVersion(database, database.dialect), latest);
  while (schema.version < latest) schema = await migrateOneVersion(database, steps);
  if (schema.shape !== (await shapeOf(database, database.dialect))) {
    throw damagedStore('its table definitions were changed');
  }
}

/** The version of a store; 0 if there is none. */
export async function readSchemaVersion(queries: Queries, dialect: Dialect): Promise<SchemaVersion> {
  const tables = await queries.all(
    dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'bridle_schema'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'bridle_schema'",
  );
  if (tables.length === 0) return { version: 0, shape: '' };
  return schemaVersionOf(await queries.all('SELECT version, shape FROM bridle_schema'));
}

function schemaVersionOf(rows: readonly Row[]): SchemaVersion {
  const { version, shape } = rows[0] ?? {};
  if (rows.length === 1 && Number.isSafeInteger(version) && Number(version) > 0) {
    return { version: Number(version), shape: String(shape) };
  }
  throw damagedStore('its version is missing or invalid');
}

function latestVersion(steps: readonly TableMigrations[]): number {
  return Math.max(...steps.flatMap((part) => Object.keys(part).map(Number)));
}

function refuseNewer(schema: SchemaVersion, latest: number): SchemaVersion {
  if (schema.version <= latest) return schema;
  throw new BridleError(
    'STORE_VERSION',
    `The store has version ${schema.version}, but this Bridle supports only versions up to ${latest}. Nothing was ` +
      'changed: upgrade Bridle to open it.',
  );
}

/** Migrates by one version, unless another process has already done it. */
function migrateOneVersion(database: Database, steps: readonly TableMigrations[]): Promise<SchemaVersion> {
  const latest = latestVersion(steps);
  return database.write(async (transaction) => {
    await transaction.lock('bridle_schema');
    const schema = refuseNewer(await readSchemaVersion(transaction, database.dialect), latest);
    if (schema.version === latest) return schema;
    return applyStep(transaction, { version: schema.version + 1, steps, dialect: database.dialect });
  });
}

interface MigrationStep {
  readonly version: number;
  readonly steps: readonly TableMigrations[];
  readonly dialect: Dialect;
}

async function applyStep(transaction: Transaction, { version, steps, dialect }: MigrationStep): Promise<SchemaVersion> {
  if (version === 1) {
    await transaction.run('CREATE TABLE bridle_schema (version BIGINT NOT NULL, shape TEXT NOT NULL)');
    await transaction.run("INSERT INTO bridle_schema (version, shape) VALUES (0, '')");
  }
  for (const part of steps) {
    for (const statement of part[version] ?? []) await transaction.run(definitionFor(dialect, statement));
  }
  const shape = await shapeOf(transaction, dialect);
  await transaction.run('UPDATE bridle_schema SET version = ?, shape = ?', [version, shape]);
  return { version, shape };
}

function definitionFor(dialect: Dialect, statement: string): string {
  return dialect === 'postgres' ? postgresDefinition(statement) : statement;
}

/**
 * A hash of all definitions in a SQLite file: a damaged definition could hide rows, and a trigger is code. A server is
 * trusted with its own schema.
 */
async function shapeOf(queries: Queries, dialect: Dialect): Promise<string> {
  if (dialect !== 'sqlite') return '';
  const definitions = await queries.all(
    "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name",
  );
  const text = definitions.map(({ type, name, tbl_name, sql }) => JSON.stringify([type, name, tbl_name, sql]));
  return createHash('sha256').update(text.join('\n')).digest('hex');
}

function damagedStore(what: string): BridleError {
  return new BridleError('STORE_DAMAGED', `The store is damaged: ${what}. Restore it from a backup.`);
}
