/** One suite, run on every kind of store: each test on a fresh one, with keys of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import type { Database } from '../src/store/database/database.ts';
import { openDatabase } from '../src/store/database/open-database.ts';
import type { PartTables } from '../src/store/database/part-tables.ts';
import { openKeyRing } from '../src/store/keys/open-key-ring.ts';
import type { PartOptions } from '../src/store/part-options.ts';
import { makeSealer } from '../src/store/sealed-row.ts';
import type { Store, StoreOptions } from '../src/store/store.ts';

/** The fresh store of a test. */
export interface StoreRig {
  readonly kind: Database['dialect'];
  /** Where it is: what `openStore` takes. */
  readonly at: string;
  /** The folder of its keys. */
  readonly keys: string;
  /** A folder that is deleted after the test. */
  readonly folder: string;
  /** Opens it, as often as wanted; closed after the test. */
  open(options?: StoreOptions): Promise<Store>;
  /** What a part of it is made from, where only these tables are needed. */
  parts(tables: readonly PartTables[], options?: StoreOptions): Promise<PartOptions>;
}

/** The rig is filled anew before each test: use it inside tests only. */
export function describeStores(title: string, suite: (rig: StoreRig) => void): void {
  describe(`${title} (sqlite)`, () => suite(sqliteRig()));
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

function freshRig(kind: Database['dialect'], make: () => Promise<Place>): StoreRig {
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
      const { openStore } = await import('../src/store/open-store.ts');
      const store = await openStore({ at: here().at, keys: keys(), ...options });
      closers.push(() => store.close());
      return store;
    },
    parts: async (tables, options = {}) => {
      const { database } = await openDatabase({ at: here().at, ...options }, tables);
      closers.push(() => database.close());
      const { namespace = 'default', clock = Date.now, encrypt = false } = options;
      const ring = openKeyRing(options.keys ?? keys());
      return { database, namespace, clock, keys: ring, sealer: makeSealer({ keys: ring, namespace, encrypt }) };
    },
  };
}
