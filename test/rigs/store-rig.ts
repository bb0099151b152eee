/** Runs one suite on every kind of store: each test gets a new store with its own keys. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe } from 'vitest';
import { openDatabase } from '../../src/store/open-database.ts';
import type { Migrations } from '../../src/store/schema/schema.ts';
import { readStoreAddress } from '../../src/store/database/store-address.ts';
import { openKeyRing } from '../../src/store/keys/open-key-ring.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { NamespaceContext } from '../../src/store/namespace/namespace.ts';
import { createSealer } from '../../src/store/namespace/sealed-row.ts';
import type { Store, StoreOptions } from '../../src/store/store.ts';
import { sharedPostgres } from '../postgres/ask-server.ts';
import { postgresMissing } from '../postgres/launch.mjs';

/** The new store of a test. */
export interface StoreRig {
  readonly kind: Store['dialect'];
  /** Its address, for `openStore`. */
  readonly at: string;
  /** The folder of its keys. */
  readonly keys: string;
  /** A folder that is deleted after the test. */
  readonly folder: string;
  /** Opens it, any number of times; closed after the test. */
  open(options?: StoreOptions): Promise<Store>;
  /** What a part of it is created from. */
  parts(options?: StoreOptions & { readonly migrations?: Migrations }): Promise<NamespaceContext>;
}

/** The rig is filled again before each test: use it inside tests only. */
export function describeStores(title: string, suite: (rig: StoreRig) => void): void {
  describe(`${title} (sqlite)`, () => {
    suite(sqliteRig());
  });
  describePostgres(title, suite);
}

/** The same for Postgres only. */
export function describePostgres(title: string, suite: (rig: StoreRig) => void): void {
  const missing = postgresMissing();
  // Without a server the suite is skipped with a message; in CI it fails.
  const skip = missing !== undefined && process.env['CI'] !== 'true';
  const why = skip ? `: skipped, ${missing}` : '';
  describe.skipIf(skip)(`${title} (postgres${why})`, () => {
    suite(postgresRig());
  });
}

interface Place {
  readonly at: string;
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

function sqliteRig(): StoreRig {
  return freshRig('sqlite', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bridle-store-'));
    return Promise.resolve({
      at: join(folder, 'store.db'),
      folder,
      remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
    });
  });
}

/** A new schema on the shared server. */
function postgresRig(): StoreRig {
  return freshRig('postgres', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bridle-store-'));
    const schema = `t_${randomBytes(8).toString('hex')}`;
    const url = await sharedPostgres();
    return {
      at: `${url}?schema=${schema}`,
      folder,
      remove: async () => {
        rmSync(folder, { recursive: true, force: true });
        await askPostgres(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      },
    };
  });
}

/** Runs one statement directly, like somebody who changes rows without the store. */
export async function askPostgres(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function freshRig(kind: Store['dialect'], make: () => Promise<Place>): StoreRig {
  let place: Place | undefined;
  let closers: (() => Promise<void>)[] = [];
  const here = (): Place => {
    if (place === undefined) throw new TypeError('A rig is used inside tests only.');
    return place;
  };
  const keys = () => join(here().folder, 'keys');

  beforeEach(async () => {
    place = await make();
    closers = [];
  });
  afterEach(async () => {
    for (const close of closers.toReversed()) await close();
    await place?.remove();
    place = undefined;
  });

  return {
    kind,
    get at() {
      return here().at;
    },
    get keys() {
      return keys();
    },
    get folder() {
      return here().folder;
    },
    open: async (options = {}) => {
      const store = await openStore({ at: here().at, keys: keys(), ...options });
      closers.push(() => store.close());
      return store;
    },
    parts: async (options = {}) => {
      const { at = here().at, ...rest } = options;
      const { database } = await openDatabase(readStoreAddress(at), rest);
      closers.push(() => database.close());
      const { namespace = 'default', clock = Date.now, encrypt = false } = options;
      const ring = openKeyRing(options.keys ?? keys());
      return { database, namespace, clock, keys: ring, sealer: createSealer({ keys: ring, namespace, encrypt }) };
    },
  };
}
