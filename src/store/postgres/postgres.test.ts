/** What only a server does: it restarts, loses connections, and checks permissions. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { cutLine } from '../../../test/postgres/cut-line.ts';
import { postgresMissing, startPostgres, type PostgresServer } from '../../../test/postgres/launch.mjs';
import { askPostgres } from '../../../test/rigs/store-rig.ts';
import { openStore } from '../open-store.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../open-database.ts';
import type { Migrations } from '../schema/schema.ts';
import { readStoreAddress } from '../database/store-address.ts';
import { UnknownCommitOutcome } from '../database/write-once.ts';

const migrations: Migrations = { 1: ['CREATE TABLE bridle_things (id BIGINT NOT NULL PRIMARY KEY)'] };
const put = 'INSERT INTO bridle_things (id) VALUES (?)';

const missing = postgresMissing();
const skip = missing !== undefined && process.env['CI'] !== 'true';

describe.skipIf(skip)(`a Postgres server${skip ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-server-'));
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ sync: false });
  });
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (schema: string, url = server.url): Promise<Database> =>
    (await openDatabase(readStoreAddress(`${url}?schema=${schema}`), { migrations })).database;

  /** The text and code of the error when opening fails. */
  const refusal = async (at: string): Promise<{ readonly code: unknown; readonly text: string }> => {
    const error: unknown = await openStore({ at, keys: join(folder, 'keys') }).then(
      (store) => store.close(),
      (thrown: unknown) => thrown,
    );
    return { code: (error as { code?: unknown }).code, text: String(error) };
  };

  it(proves('R02')('that is killed and restarted under load keeps every acknowledged write once'), async () => {
    const database = await open('load');
    const acknowledged = new Set<number>();
    const unsure = new Set<number>();
    let next = 0;
    const load = new AbortController();
    const write = async (): Promise<void> => {
      while (!load.signal.aborted) {
        const id = next++;
        try {
          await database.run(put, [id]);
          acknowledged.add(id);
        } catch (error) {
          expect(error).toMatchObject({ code: 'STORE_FAILED' });
          unsure.add(id);
        }
      }
    };
    const writers = Array.from({ length: 8 }, write);
    for (const end of ['kill', 'stop', 'kill'] as const) {
      const from = acknowledged.size;
      await expect.poll(() => acknowledged.size, { timeout: 15_000 }).toBeGreaterThan(from + 50);
      await server[end]();
      await server.restart();
    }
    const last = acknowledged.size;
    await expect.poll(() => acknowledged.size, { timeout: 15_000 }).toBeGreaterThan(last + 50);
    load.abort();
    await Promise.all(writers);
    const kept = (await database.all('SELECT id FROM bridle_things')).map((row) => Number(row['id']));
    expect(new Set(kept).size).toBe(kept.length);
    expect([...acknowledged].filter((id) => !kept.includes(id))).toEqual([]);
    expect(kept.filter((id) => !acknowledged.has(id) && !unsure.has(id))).toEqual([]);
    await database.close();
  });

  it('does not retry what may have been committed', async () => {
    const line = await cutLine(server.url);
    const database = await open('cut', line.url);
    const kept: number[] = [];
    for (const [id, when] of (['before', 'after'] as const).entries()) {
      let tries = 0;
      // With its terminator, to distinguish it from the name of an isolation level.
      line.cutAt('COMMIT\0', when);
      const writing = database.write(async (transaction) => {
        tries++;
        await transaction.run(put, [id]);
      });
      await expect(writing).rejects.toThrow(UnknownCommitOutcome);
      expect(tries).toBe(1);
      if (when === 'after') kept.push(id);
      const there = () => askPostgres(server.url, 'SELECT id FROM cut.bridle_things');
      await expect.poll(there).toEqual(kept.map((each) => ({ id: String(each) })));
    }
    await database.close();
    await line.close();
  });

  it('retries what cannot have been committed', async () => {
    const line = await cutLine(server.url);
    const database = await open('again', line.url);
    for (const [id, word] of ['BEGIN', 'INSERT'].entries()) {
      line.cutAt(word, 'after');
      await database.run(put, [id]);
    }
    line.cutAt('SELECT id', 'after');
    expect(await database.all('SELECT id FROM bridle_things ORDER BY id')).toEqual([{ id: 0 }, { id: 1 }]);
    await database.close();
    await line.close();
  });

  it(proves('R02')('commits nothing of a transaction that did not begin'), async () => {
    const line = await cutLine(server.url);
    const database = await open('begin', line.url);
    for (const first of ['write', 'read', 'lock'] as const) {
      line.garble('BEGIN');
      const writing = database.write(async (transaction) => {
        if (first === 'read') await transaction.all('SELECT id FROM bridle_things');
        if (first === 'lock') await Promise.all([transaction.lock('a'), transaction.run(put, [1])]);
        else await transaction.run(put, [1]);
        await transaction.notify('things');
      });
      await expect(writing, first).rejects.toThrow('syntax error');
    }
    expect(await database.all('SELECT id FROM bridle_things')).toEqual([]);
    await database.run(put, [2]);
    expect(await database.all('SELECT id FROM bridle_things')).toEqual([{ id: 2 }]);
    await database.close();
    await line.close();
  });

  it('wakes all listeners after a reconnect', async () => {
    const database = await open('listen');
    let woken = 0;
    const stop = await database.listen('things', () => woken++);
    await server.kill();
    await server.restart();
    await expect.poll(() => woken, { timeout: 15_000 }).toBeGreaterThan(0);
    const before = woken;
    const other = await open('listen');
    await other.write((transaction) => transaction.notify('things'));
    await expect.poll(() => woken, { timeout: 15_000 }).toBeGreaterThan(before);
    stop();
    await Promise.all([database.close(), other.close()]);
  });

  it('isolates schemas of one database: rows, locks and notifications', async () => {
    const [one, other] = [await open('one'), await open('two')];
    let woken = 0;
    await other.listen('things', () => woken++);
    await one.write(async (transaction) => {
      await transaction.lock('same');
      await transaction.run(put, [1]);
      await transaction.notify('things');
      // Would wait forever if it were the same lock.
      await other.write((inner) => inner.lock('same'));
    });
    expect(await other.all('SELECT id FROM bridle_things')).toEqual([]);
    await expect.poll(() => other.write((transaction) => transaction.notify('end')).then(() => woken)).toBe(0);
    await Promise.all([one.close(), other.close()]);
  });

  it('retries what it rolled back because of a deadlock', async () => {
    const database = await open('deadlock');
    await database.run('INSERT INTO bridle_things (id) VALUES (1), (2)');
    let tries = 0;
    const waiting: (() => void)[] = [];
    /** Resolves when both have arrived; later arrivals do not wait. */
    const meet = (): Promise<void> | undefined => {
      if (tries > 2) return undefined;
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const go of waiting) go();
      });
    };
    const both = (one: number, other: number): Promise<void> =>
      database.write(async (transaction) => {
        tries++;
        await transaction.run('UPDATE bridle_things SET id = id WHERE id = ?', [one]);
        await meet();
        await transaction.run('UPDATE bridle_things SET id = id WHERE id = ?', [other]);
      });
    await Promise.all([both(1, 2), both(2, 1)]);
    expect(tries).toBe(3);
    await database.close();
  });

  it('reports why it cannot be used, without the password', async () => {
    const { host } = new URL(server.url);
    const wrong: readonly [at: string, text: RegExp][] = [
      [`postgres://bridle:hunter2@${host}/postgres`, /password is wrong/],
      [`postgres://nobody:hunter2@${host}/postgres`, /password is wrong/],
      [server.url.replace('/postgres', '/none').replace('none://', 'postgres://'), /database does not exist/],
      ['postgres://bridle:hunter2@127.0.0.1:1/postgres', /unreachable/],
      ['postgres://bridle:hunter2@host.invalid/postgres', /host does not exist|unreachable/],
    ];
    for (const [at, text] of wrong) {
      const refused = await refusal(at);
      expect(refused, refused.text).toMatchObject({
        code: 'STORE_FAILED',
        text: expect.stringMatching(text) as string,
      });
      expect(refused.text).not.toMatch(/hunter2|a-password-of-tests/);
    }
  });

  it('can be used by a user who owns only the schema', async () => {
    await askPostgres(
      server.url,
      "CREATE ROLE limited LOGIN PASSWORD 'hunter2'; REVOKE CREATE ON DATABASE postgres FROM PUBLIC",
    );
    const url = server.url.replace(/\/\/.*@/, '//limited:hunter2@');
    expect(await refusal(`${url}?schema=limited`)).toMatchObject({
      code: 'STORE_FAILED',
      text: expect.stringMatching(/lacks permission/) as string,
    });
    await askPostgres(server.url, 'CREATE SCHEMA limited AUTHORIZATION limited');
    const database = await open('limited', url);
    await database.run(put, [1]);
    await database.close();
  });

  it('syncs commits as the durability option says', async () => {
    for (const [durability, setting] of [
      ['full', 'on'],
      ['process', 'off'],
    ] as const) {
      const { database } = await openDatabase(readStoreAddress(`${server.url}?schema=sync`), {
        migrations,
        durability,
      });
      expect(await database.all('SHOW synchronous_commit')).toEqual([{ synchronous_commit: setting }]);
      expect(await database.all('SELECT current_schema() AS name')).toEqual([{ name: 'sync' }]);
      await database.close();
    }
  });

  it('shows its address without user, password and parameters', async () => {
    const store = await openStore({ at: `${server.url}?schema=told`, keys: join(folder, 'keys') });
    expect(store.at).toBe(`postgres://${new URL(server.url).host}/postgres`);
    expect(inspect(store, { depth: 20, showHidden: true })).not.toContain('a-password-of-tests');
    expect(store.files).toEqual([join(folder, 'keys')]);
    await store.close();
  });
});
