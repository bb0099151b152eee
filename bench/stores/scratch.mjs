/** Where stores are measured: a folder of their own on the disk of the system, and a Postgres server that syncs. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresMissing, startPostgres } from '../../test/postgres/launch.mjs';
import { openRawPostgres, postgresSettings } from './raw-postgres.mjs';
import { openRawSqlite, sqliteSettings } from './raw-sqlite.mjs';

/** Gives `work` a scratch place and takes it down afterwards. Without a Postgres here, its rows are left out, except in a smoke run. */
export async function withScratch(pace, work) {
  const missing = postgresMissing();
  if (missing !== undefined && pace.name === 'smoke') throw new Error(`Postgres: ${missing}`);
  const folder = mkdtempSync(join(tmpdir(), 'bridle-bench-'));
  const server = missing === undefined ? await startPostgres({ sync: true }) : undefined;
  try {
    return await work(new Scratch(folder, server?.url));
  } finally {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Scratch {
  #names = 0;

  constructor(folder, url) {
    this.folder = folder;
    this.url = url;
    this.keys = join(folder, 'keys');
    /** The databases there are here. */
    this.kinds = url === undefined ? ['sqlite'] : ['sqlite', 'postgres'];
  }

  /** Options of a new, empty store. */
  place(kind, durability = 'full') {
    const name = `bench${this.#names++}`;
    const at = kind === 'sqlite' ? join(this.folder, `${name}.db`) : `${this.url}?schema=${name}`;
    return { at, keys: this.keys, durability };
  }

  /** A table for raw inserts: `same` as the journal's, or `bare`. */
  raw(kind, { durability = 'full', shape = 'same' } = {}) {
    if (kind === 'postgres') return openRawPostgres(this.url, { durability, shape });
    return openRawSqlite(join(this.folder, `raw${this.#names++}.db`), { durability, shape });
  }

  /** One line: driver, version, and how commits are synced. */
  settings(kind, durability, path) {
    return kind === 'postgres' ? postgresSettings(this.url, durability) : sqliteSettings(path, durability);
  }
}
