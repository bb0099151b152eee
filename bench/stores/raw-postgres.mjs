/** The limit on Postgres: nothing but inserts, on one connection, by the driver a store uses. */

import pg from 'pg';
import { rowsOf, shapes } from './raw-rows.mjs';

/** Opens a table of its own on a connection that commits as a store of this durability would. */
export async function openRawPostgres(url, { durability, shape = 'same' }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET synchronous_commit = ${durability === 'full' ? 'on' : 'off'}`);
  const name = `${shape}_${process.pid}_${tables++}`;
  await client.query(shapes[shape].table.replace('%s', name));
  const inserts = new Map();
  let seq = 0;

  const insert = (count) => {
    if (!inserts.has(count)) inserts.set(count, statement(name, shapes[shape].columns, count));
    return inserts.get(count);
  };

  return {
    /** Keeps texts in one transaction; durable when it settles. */
    async keep(texts) {
      const first = seq;
      seq += texts.length;
      if (texts.length > 1) await client.query('BEGIN');
      for (const { count, values } of rowsOf(shapes[shape], texts, first))
        await client.query({ ...insert(count), values });
      if (texts.length > 1) await client.query('COMMIT');
    },
    close: () => client.end(),
  };
}

let tables = 0;

function statement(table, columns, count) {
  const row = (i) => `(${columns.map((_, k) => `$${i * columns.length + k + 1}`).join(', ')})`;
  const rows = Array.from({ length: count }, (_, i) => row(i)).join(', ');
  return { name: `${table} ${count}`, text: `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows}` };
}

/** What the server says about syncing, on a connection of this durability. */
export async function postgresSettings(url, durability) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET synchronous_commit = ${durability === 'full' ? 'on' : 'off'}`);
    const names = ['fsync', 'synchronous_commit', 'wal_sync_method', 'shared_buffers'];
    const shown = [];
    for (const name of names) shown.push(`${name} ${Object.values((await client.query(`SHOW ${name}`)).rows[0])[0]}`);
    const { server_version: version } = (await client.query('SHOW server_version')).rows[0];
    return `pg, Postgres ${version}, ${shown.join(', ')}`;
  } finally {
    await client.end();
  }
}
