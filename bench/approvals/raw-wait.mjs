/** The limit: one row that another process waits for. On Postgres it is told, on SQLite it looks every millisecond. */

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDriver } from '../stores/raw-sqlite.mjs';

const table = 'CREATE TABLE IF NOT EXISTS raw_answers (id TEXT PRIMARY KEY)';
const found = 'SELECT id FROM raw_answers WHERE id = ';

export function openRawWait(at) {
  return at.startsWith('postgres:') ? onPostgres(at) : onSqlite(at);
}

async function onPostgres(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Two processes that make the same table at once get in each other's way.
  for (const sql of ['SELECT pg_advisory_lock(1)', table, 'SELECT pg_advisory_unlock(1)']) await client.query(sql);
  await client.query('LISTEN raw_answers');
  const isThere = async (id) => (await client.query(`${found}$1`, [id])).rows.length > 0;
  return {
    async wait(id) {
      while (!(await isThere(id))) await once(client, 'notification');
    },
    async tell(id) {
      await client.query('BEGIN');
      await client.query('INSERT INTO raw_answers (id) VALUES ($1)', [id]);
      await client.query("SELECT pg_notify('raw_answers', $1)", [id]);
      await client.query('COMMIT');
    },
    close: () => client.end(),
  };
}

async function onSqlite(path) {
  const driver = await openDriver(path);
  driver.exec('PRAGMA busy_timeout = 5000');
  driver.exec('PRAGMA journal_mode = WAL');
  driver.exec('PRAGMA synchronous = FULL');
  driver.exec(table);
  const select = driver.prepare(`${found}?`);
  const insert = driver.prepare('INSERT INTO raw_answers (id) VALUES (?)');
  return {
    async wait(id) {
      while (select.all([id]).length === 0) await sleep(1);
    },
    tell: async (id) => void insert.run([id]),
    close: async () => driver.close(),
  };
}
