/** Opens the database of a store: makes what is missing, brings its tables forward, refuses what it does not know. */

import { existsSync } from 'node:fs';
import { BridleError } from '../../errors.ts';
import type { StoreOptions } from '../store.ts';
import type { Database } from './database.ts';
import { checkLog } from './log-check.ts';
import { migrate, readSchema } from './migrations.ts';
import type { PartTables } from './part-tables.ts';
import { openSqlite } from './sqlite-database.ts';
import { shownUrl, type StoreAddress } from './store-address.ts';
import { filesOfStore, openStoreFile } from './store-file.ts';
import { checkTables } from './table-check.ts';

export interface OpenedDatabase {
  readonly database: Database;
  /** Where it is, without a password. */
  readonly at: string;
  /** Its files on this machine. */
  readonly files: readonly string[];
}

export interface OpenOptions {
  readonly durability?: StoreOptions['durability'];
  readonly create?: boolean | undefined;
  /** The tables of all parts. */
  readonly tables: readonly PartTables[];
}

export async function openDatabase(address: StoreAddress, options: OpenOptions): Promise<OpenedDatabase> {
  return address.type === 'sqlite' ? openFile(address.path, options) : openServer(address, options);
}

type Server = Extract<StoreAddress, { type: 'postgres' }>;

async function openServer({ url, schema }: Server, options: OpenOptions): Promise<OpenedDatabase> {
  const { durability = 'full', create = true, tables } = options;
  const at = shownUrl(url);
  // Loading the driver takes longer than opening a file.
  const { openPostgres } = await import('./postgres-database.ts');
  const database = await openPostgres({ url, schema, durability, create });
  await orClose(database, async () => {
    if (!create && !(await hasTables(database))) throw noStore(at);
    await migrate(database, tables);
  });
  return { database, at, files: [] };
}

async function openFile(named: string, options: OpenOptions): Promise<OpenedDatabase> {
  const { durability = 'full', create = true, tables } = options;
  if (!create && !existsSync(named)) throw noStore(named);
  const path = await openStoreFile(named, async (unnamed) => {
    const made = await openSqlite({ path: unnamed, durability: 'full', log: false });
    await orClose(made, () => migrate(made, tables));
    await made.close();
  });
  checkLog(path);
  const database = await openSqlite({ path, durability });
  await orClose(database, async () => {
    // A store has its tables before it has its name: a file without them is something else's.
    if (!(await hasTables(database))) throw foreign(path);
    await migrate(database, tables);
    await checkTables(database);
  });
  return { database, at: path, files: filesOfStore(path) };
}

async function hasTables(database: Database): Promise<boolean> {
  return (await readSchema(database, database.dialect)).version > 0;
}

function noStore(at: string): BridleError {
  return new BridleError(
    'STORE_FAILED',
    `There is no store at ${at}. An agent made with createAgent({ store }) makes one, and so does openStore().`,
  );
}

function foreign(path: string): BridleError {
  return new BridleError('STORE_FAILED', `The file ${path} is a database, but no store. Give another path.`);
}

async function orClose(database: Database, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await database.close();
    throw error;
  }
}
