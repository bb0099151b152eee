/** The limit on SQLite: nothing but inserts, by the driver a store uses. */

import { rowsOf, shapes } from './raw-rows.mjs';

/** Opens a table of its own in a new file, as a store of this durability would sync it. */
export async function openRawSqlite(path, { durability, shape = 'same' }) {
  const { table, columns } = shapes[shape];
  const driver = await openDriver(path);
  driver.exec('PRAGMA journal_mode = WAL');
  driver.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  driver.exec(table.replace('%s', 'entries'));
  const inserts = new Map();
  let seq = 0;

  const insert = (count) => {
    if (!inserts.has(count)) {
      const row = `(${columns.map(() => '?').join(', ')})`;
      const rows = Array.from({ length: count }, () => row).join(', ');
      inserts.set(count, driver.prepare(`INSERT INTO entries (${columns.join(', ')}) VALUES ${rows}`));
    }
    return inserts.get(count);
  };

  return {
    /** Keeps texts in one transaction; durable when it settles. */
    async keep(texts) {
      const first = seq;
      seq += texts.length;
      if (texts.length > 1) driver.exec('BEGIN IMMEDIATE');
      for (const { count, values } of rowsOf(shapes[shape], texts, first)) insert(count).run(values);
      if (texts.length > 1) driver.exec('COMMIT');
    },
    /** Reads everything, in pages. */
    async readAll(page) {
      const sql = "SELECT seq, hash, text FROM entries WHERE namespace = 'default' AND seq >= ? ORDER BY seq LIMIT ?";
      const select = driver.prepare(sql);
      let count = 0;
      for (;;) {
        const rows = select.all([count, page]);
        count += rows.length;
        if (rows.length < page) return count;
      }
    },
    async close() {
      inserts.clear();
      driver.close();
    },
  };
}

/** The driver a store would use here. */
export async function openDriver(path) {
  const builtIn = process.getBuiltinModule?.('node:sqlite');
  if (builtIn !== undefined) return nodeDriver(new builtIn.DatabaseSync(path));
  const { default: Libsql } = await import('libsql');
  return new Libsql(path);
}

function nodeDriver(database) {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return { run: (values) => statement.run(...values), all: (values) => statement.all(...values) };
    },
    close: () => database.close(),
  };
}

/** The name and version of the driver, and what it says about syncing on a file that a store of this durability made. */
export async function sqliteSettings(path, durability) {
  const driver = await openDriver(path);
  try {
    driver.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
    const ask = (name) => Object.values(driver.prepare(`PRAGMA ${name}`).all([])[0]).join(' ');
    const names = ['journal_mode', 'synchronous', 'wal_autocheckpoint', 'page_size'];
    const engine = Object.values(driver.prepare('SELECT sqlite_version()').all([])[0])[0];
    const by = process.getBuiltinModule?.('node:sqlite') === undefined ? 'libsql' : 'node:sqlite';
    return `${by}, SQLite ${engine}, ${names.map((name) => `${name} ${ask(name)}`).join(', ')}`;
  } finally {
    driver.close();
  }
}
