/**
 * Opens the database of a store: creates it if it is missing, migrates its tables, refuses unknown files and versions.
 */

import { existsSync } from 'node:fs';
import { loadWithPackages } from '../files/optional-packages.ts';
import { BridleError } from '../kernel/errors.ts';
import type { StoreOptions } from './store.ts';
import type { Database } from './database/database.ts';
import { checkWal } from './sqlite/check-wal.ts';
import { checkTables, migrate, readSchemaVersion } from './schema/migrations.ts';
import type { Migrations } from './schema/schema.ts';
import { openSqlite } from './sqlite/sqlite-database.ts';
import { urlWithoutCredentials, type StoreAddress } from './database/store-address.ts';
import { filesOfStore, openStoreFile } from './sqlite/store-file.ts';

export interface OpenedDatabase {
  readonly database: Database;
  /** Its address, without the password. */
  readonly at: string;
  /** Its files on this machine; none on a server. */
  readonly files: readonly string[];
}

export interface OpenOptions {
  readonly durability?: StoreOptions['durability'];
  readonly create?: boolean | undefined;
  /** For processes that open the store for one write: opening takes time in proportion to the write-ahead log. */
  readonly maxLogBytes?: number | undefined;
  /** For tests. Default: those of the store. */
  readonly migrations?: Migrations | undefined;
}

export async function openDatabase(address: StoreAddress, options: OpenOptions): Promise<OpenedDatabase> {
  return address.type === 'sqlite' ? openFile(address.path, options) : openServer(address, options);
}

type ServerAddress = Extract<StoreAddress, { type: 'postgres' }>;

async function openServer({ url, schema }: ServerAddress, options: OpenOptions): Promise<OpenedDatabase> {
  const { durability = 'full', create = true, migrations } = options;
  const at = urlWithoutCredentials(url);
  // Loaded on demand: loading the driver takes longer than opening a file.
  const { openPostgres } = await loadWithPackages(
    'A store on Postgres',
    ['pg'],
    () => import('./postgres/postgres-database.ts'),
  );
  const database = await openPostgres({ url, schema, durability, create });
  await closeOnError(database, async () => {
    if (!create && !(await hasTables(database))) throw noStore(at);
    await migrate(database, migrations);
  });
  return { database, at, files: [] };
}

async function openFile(givenPath: string, options: OpenOptions): Promise<OpenedDatabase> {
  const { durability = 'full', create = true, migrations, maxLogBytes } = options;
  if (!create && !existsSync(givenPath)) throw noStore(givenPath);
  const path = await openStoreFile(givenPath, async (draftPath) => {
    const draft = await openSqlite({ path: draftPath, durability: 'full', log: false });
    await closeOnError(draft, () => migrate(draft, migrations));
    await draft.close();
  });
  checkWal(path);
  const database = await openSqlite({ path, durability, maxLogBytes });
  await closeOnError(database, async () => {
    // A store gets its tables before its file name, so a file without them is some other database.
    if (!(await hasTables(database))) throw notAStore(path);
    await migrate(database, migrations);
    await checkTables(database);
  });
  return { database, at: path, files: filesOfStore(path) };
}

async function hasTables(database: Database): Promise<boolean> {
  return (await readSchemaVersion(database, database.dialect)).version > 0;
}

function noStore(at: string): BridleError {
  return new BridleError(
    'STORE_FAILED',
    `There is no store at ${at}. Name another with --store, or create one: with npx bridle chat --model <name>, or in code with openStore() or createAgent({ store }).`,
  );
}

function notAStore(path: string): BridleError {
  return new BridleError('STORE_FAILED', `The file ${path} is a database, but not a Bridle store. Use another path.`);
}

async function closeOnError(database: Database, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await database.close();
    throw error;
  }
}
