/**
 * The tables of a store, by version. A store is brought forward one version at a time, each in one transaction; one that a
 * newer Bridle has made is refused before anything is written.
 */

import { createHash } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import type { Database, Queries, Row, Transaction } from '../database/database.ts';
import type { TableMigrations } from './table-migrations.ts';
import { postgresDefinition } from '../postgres/postgres-sql.ts';

type Dialect = Database['dialect'];

interface SchemaVersion {
  /** 0 where there is no store yet. */
  readonly version: number;
  /** What its tables looked like when they were made. */
  readonly shape: string;
}

/** What every store has, whatever its parts. */
const namespaceTables: TableMigrations = {
  1: [
    'CREATE TABLE bridle_namespaces (namespace TEXT NOT NULL PRIMARY KEY, fingerprint TEXT NOT NULL, created_at BIGINT NOT NULL)',
  ],
};

/** Brings the store to the newest version its parts know. */
export async function migrate(database: Database, parts: readonly TableMigrations[]): Promise<void> {
  const steps = [namespaceTables, ...parts];
  const latest = latestVersion(steps);
  let schema = refuseNewer(await readSchemaVersion(database, database.dialect), latest);
  while (schema.version < latest) schema = await migrateOneVersion(database, steps);
  if (schema.shape !== (await shapeOf(database, database.dialect))) {
    throw damagedStore('its tables are not the ones it was made with');
  }
}

/** The version of a store; 0 where there is none. */
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
  throw damagedStore('it does not say which version it has');
}

function latestVersion(steps: readonly TableMigrations[]): number {
  return Math.max(...steps.flatMap((part) => Object.keys(part).map(Number)));
}

function refuseNewer(schema: SchemaVersion, latest: number): SchemaVersion {
  if (schema.version <= latest) return schema;
  throw new BridleError(
    'STORE_VERSION',
    `The store has version ${schema.version}, and this Bridle knows versions up to ${latest}. It is left as it is: ` +
      'use the Bridle that made it, or a newer one.',
  );
}

/** One version further, unless another process was faster. */
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
 * A hash over all definitions in a file: a damaged one could make rows disappear without a trace, and a trigger is code.
 * A server answers for its own.
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
  return new BridleError('STORE_DAMAGED', `The store is damaged: ${what}. Restore it from a copy.`);
}
