/**
 * Migrates the tables of a store, one version at a time, each in one transaction. A store from a newer Bridle is
 * refused before anything is written, a damaged one before it is used.
 */

import { createHash } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import type { Database, Queries, Row, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialects.ts';
import { getOrCreate } from '../../kernel/lazy.ts';
import { type Migrations, storeMigrations, type TableName } from './schema.ts';

interface SchemaVersion {
  /** 0 if there is no store yet. */
  readonly version: number;
  /** A hash of the table definitions when they were created. */
  readonly shape: string;
}

const ownMigrations = new Map<Dialect, Migrations>();

/** Migrates the store to the latest version. */
export async function migrate(
  database: Database,
  migrations: Migrations = getOrCreate(ownMigrations, database.dialect, () => storeMigrations(database.dialect)),
): Promise<void> {
  const latest = Math.max(...Object.keys(migrations).map(Number));
  let schema = refuseNewer(await readSchemaVersion(database, database.dialect), latest);
  while (schema.version < latest) {
    schema = await database.write((transaction) => migrateOneVersion(transaction, database.dialect, migrations));
  }
  if (schema.shape !== (await shapeOf(database, database.dialect))) {
    throw damagedStore('its table definitions were changed');
  }
  await refuseForeignDefinitions(database, migrations);
}

const createSchemaTable = 'CREATE TABLE bridle_schema (version BIGINT NOT NULL, shape TEXT NOT NULL)';

/** A file from elsewhere may have definitions of its own, with a matching hash: triggers, constraints, views. */
async function refuseForeignDefinitions(database: Database, migrations: Migrations): Promise<void> {
  const { dialect } = database;
  const statements = Object.values(migrations).flat();
  if (dialect.definitions === undefined) return;
  const isExact = statements.every((statement) => /^CREATE (?:TABLE|INDEX) /.test(statement));
  const known = new Set<unknown>([createSchemaTable, ...statements, null]);
  for (const { type, name, sql } of await database.all(dialect.definitions)) {
    const isKnown = isExact ? known.has(sql) : type === 'table' || type === 'index';
    if (!isKnown) throw damagedStore(`its ${String(type)} ${JSON.stringify(name)} is not one of Bridle's definitions`);
  }
}

/** The version of a store; 0 if there is none. */
export async function readSchemaVersion(queries: Queries, dialect: Dialect): Promise<SchemaVersion> {
  const found = await queries.all(dialect.findTable, ['bridle_schema']);
  if (found.length === 0) return { version: 0, shape: '' };
  return schemaVersionOf(await queries.all('SELECT version, shape FROM bridle_schema'));
}

function schemaVersionOf(rows: readonly Row[]): SchemaVersion {
  const { version, shape } = rows[0] ?? {};
  if (rows.length === 1 && Number.isSafeInteger(version) && Number(version) > 0) {
    return { version: Number(version), shape: String(shape) };
  }
  throw damagedStore('its version is missing or invalid');
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
async function migrateOneVersion(
  transaction: Transaction,
  dialect: Dialect,
  migrations: Migrations,
): Promise<SchemaVersion> {
  await transaction.lock('bridle_schema');
  const latest = Math.max(...Object.keys(migrations).map(Number));
  const schema = refuseNewer(await readSchemaVersion(transaction, dialect), latest);
  if (schema.version === latest) return schema;
  const version = schema.version + 1;
  if (version === 1) {
    await transaction.run(createSchemaTable);
    await transaction.run("INSERT INTO bridle_schema (version, shape) VALUES (0, '')");
  }
  for (const statement of migrations[version] ?? []) await transaction.run(statement);
  const shape = await shapeOf(transaction, dialect);
  await transaction.run('UPDATE bridle_schema SET version = ?, shape = ?', [version, shape]);
  return { version, shape };
}

/** A hash of all definitions in a SQLite file: a damaged definition could hide rows, and a trigger is code. */
async function shapeOf(queries: Queries, dialect: Dialect): Promise<string> {
  if (dialect.definitions === undefined) return '';
  const definitions = await queries.all(dialect.definitions);
  const text = definitions.map(({ type, name, tbl_name, sql }) => JSON.stringify([type, name, tbl_name, sql]));
  return createHash('sha256').update(text.join('\n')).digest('hex');
}

/**
 * The tables in which a hidden row would allow something: a remembered denial, a used amount. They are small. The
 * journal has its chain, other rows reveal a lost run or session, a lost approval is asked again.
 */
const checkedTables: readonly TableName[] = [
  'bridle_answers',
  'bridle_counters',
  'bridle_counter_marks',
  'bridle_counter_times',
];

/** Compares tables with their indexes: a damaged index silently hides rows. */
export async function checkTables(database: Database): Promise<void> {
  const { dialect } = database;
  if (dialect.checkTable === undefined) return;
  for (const table of checkedTables) {
    if ((await database.all(dialect.findTable, [table])).length === 0) continue;
    const [found] = await database.all(dialect.checkTable(table));
    const problem = Object.values(found ?? {})[0];
    if (problem !== 'ok') throw damagedStore(`the table ${table} is inconsistent (${String(problem)})`);
  }
}

function damagedStore(what: string): BridleError {
  return new BridleError('STORE_DAMAGED', `The store is damaged: ${what}. Restore it from a backup.`);
}
