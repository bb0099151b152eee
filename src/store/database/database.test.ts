/** The database interface that every part of the store relies on, tested on both databases. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import type { Database, Transaction } from './database.ts';
import type { Migrations } from '../schema/schema.ts';
import { numberParameters } from '../postgres/postgres-transaction.ts';

const migrations: Migrations = {
  1: [
    'CREATE TABLE bridle_things (id BIGINT NOT NULL PRIMARY KEY, text TEXT, amount DOUBLE PRECISION)',
    'CREATE INDEX bridle_things_by_text ON bridle_things (text)',
  ],
};

const put = 'INSERT INTO bridle_things (id, text) VALUES (?, ?)';

async function openTwo(rig: StoreRig): Promise<readonly [Database, Database]> {
  const [one, other] = [await rig.parts({ migrations }), await rig.parts({ migrations })];
  return [one.database, other.database];
}

async function ids(database: Database): Promise<readonly unknown[]> {
  return (await database.all('SELECT id FROM bridle_things ORDER BY id')).map((row) => row['id']);
}

interface Call {
  readonly wake: () => void;
  /** Resolves when it was called; otherwise the test times out. */
  readonly called: Promise<void>;
}

function call(): Call {
  const waiting: (() => void)[] = [];
  const called = new Promise<void>((resolve) => waiting.push(resolve));
  return { called, wake: () => waiting.forEach((resolve) => resolve()) };
}

/** Reads a number and writes it back plus one. */
function addOne(database: Database): Promise<void> {
  return database.write(async (transaction) => {
    await transaction.lock('sum');
    const [row] = await transaction.all('SELECT amount FROM bridle_things WHERE id = 1');
    await transaction.run('UPDATE bridle_things SET amount = ? WHERE id = 1', [Number(row?.['amount']) + 1]);
  });
}

describeStores('a database', (rig) => {
  it(proves('R01')('returns what was stored'), async () => {
    const { database } = await rig.parts({ migrations, durability: 'process' });
    const text = fc.string({ unit: 'binary' }).filter((each) => !each.includes('\0') && each.isWellFormed());
    const amount = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.option(text), fc.option(amount), fc.maxSafeInteger(), async (text, amount, number) => {
        await database.write(async (transaction) => {
          await transaction.run('DELETE FROM bridle_things');
          await transaction.run('INSERT INTO bridle_things VALUES (?, ?, ?)', [number, text, amount]);
        });
        const [row] = await database.all('SELECT * FROM bridle_things WHERE id = ? AND ? = ?', [number, ++id, id]);
        expect(row).toEqual({ id: number, text, amount: amount === 0 ? 0 : amount });
      }),
      { numRuns: runs(40) },
    );
  });

  it('keeps integers in columns without a type', async () => {
    const { database } = await rig.parts({ migrations });
    await database.run('INSERT INTO bridle_things (id, text) VALUES (?, ?)', [1, 5]);
    expect(await database.all('SELECT text FROM bridle_things')).toEqual([{ text: '5' }]);
  });

  it('orders text byte by byte', async () => {
    const { database } = await rig.parts({ migrations });
    const texts = ['a', 'B', 'ä', 'Z', '_', 'a b', 'a-b', 'aB', '🐎', '\uffee'];
    await Promise.all(texts.map((text, id) => database.run(put, [id, text])));
    const ordered = await database.all('SELECT text FROM bridle_things ORDER BY text');
    const expected = texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    expect(ordered.map((row) => row['text'])).toEqual(expected);
  });

  it('refuses values it could not return unchanged', async () => {
    const { database } = await rig.parts({ migrations });
    for (const value of ['a\0b', '\ud800', Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(database.run(put, [1, value])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    }
    expect(await ids(database)).toEqual([]);
  });

  it('commits writes together, and rolls back a failing one alone', async () => {
    const { database } = await rig.parts({ migrations });
    const settled = await Promise.allSettled([1, 2, 1, 3].map((id) => database.run(put, [id, 'x'])));
    expect(settled.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(settled.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'STORE_CONFLICT' } });
    expect(await ids(database)).toEqual([1, 2, 3]);
  });

  it('returns how many rows were changed', async () => {
    const { database } = await rig.parts({ migrations });
    await database.run('INSERT INTO bridle_things (id) VALUES (?), (?), (?)', [1, 2, 3]);
    expect(await database.run('UPDATE bridle_things SET text = ? WHERE id > ?', ['x', 1])).toBe(2);
    expect(await database.run('DELETE FROM bridle_things WHERE id = ?', [9])).toBe(0);
    expect(await database.all('SELECT COUNT(*) AS n, SUM(id) AS s FROM bridle_things')).toEqual([{ n: 3, s: 6 }]);
  });

  it('rolls back a write that throws, while others are written', async () => {
    const { database } = await rig.parts({ migrations });
    const thrown = new TypeError('mine');
    const writes = Array.from({ length: 20 }, (_, id) =>
      database.write(async (transaction) => {
        await transaction.run(put, [id, 'x']);
        if (id % 3 === 0) throw thrown;
        return id;
      }),
    );
    const settled = await Promise.allSettled(writes);
    for (const [id, one] of settled.entries()) {
      expect(one).toEqual(id % 3 === 0 ? { status: 'rejected', reason: thrown } : { status: 'fulfilled', value: id });
    }
    expect(await ids(database)).toEqual([...settled.keys()].filter((id) => id % 3 !== 0));
  });

  it('commits nothing of a transaction with a failed statement, even if the work continues', async () => {
    const { database } = await rig.parts({ migrations });
    await database.run(put, [1, 'x']);
    const write = (id: number) =>
      database.write(async (transaction) => {
        await transaction.run(put, [id, 'x']);
        await Promise.resolve(transaction)
          .then((opened) => opened.run(put, [1, 'again']))
          .catch(() => undefined);
        await Promise.resolve(transaction)
          .then((opened) => opened.run(put, [id + 100, 'x']))
          .catch(() => undefined);
      });
    // Alone, and in a shared commit.
    await expect(write(2)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    const settled = await Promise.allSettled([write(3), database.run(put, [4, 'x']), write(5)]);
    expect(settled.map((one) => one.status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(await ids(database)).toEqual([1, 4]);
  });

  it('refuses statements in an ended transaction', async () => {
    const { database } = await rig.parts({ migrations });
    let kept: Transaction | undefined;
    await database.write((transaction) => {
      kept = transaction;
    });
    await expect((async () => kept?.run(put, [1, 'x']))()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await ids(database)).toEqual([]);
  });

  it('shows others only what is committed', async () => {
    const [database, other] = await openTwo(rig);
    await database.write(async (transaction) => {
      await transaction.run(put, [1, 'x']);
      expect(await transaction.all('SELECT id FROM bridle_things')).toEqual([{ id: 1 }]);
      expect(await ids(database)).toEqual([]);
      expect(await ids(other)).toEqual([]);
    });
    expect(await ids(database)).toEqual([1]);
    expect(await ids(other)).toEqual([1]);
  });

  it('serializes transactions under a lock, so no update is lost', async () => {
    const both = await openTwo(rig);
    await both[0].run('INSERT INTO bridle_things (id, amount) VALUES (?, ?)', [1, 0]);
    await Promise.all(Array.from({ length: 60 }, (_, i) => addOne(i % 2 === 0 ? both[0] : both[1])));
    expect(await both[1].all('SELECT amount FROM bridle_things')).toEqual([{ amount: 60 }]);
  });

  it('wakes listeners here and elsewhere after the commit', async () => {
    const [database, other] = await openTwo(rig);
    const [here, there, stranger] = [call(), call(), call()];
    let read: readonly unknown[] = [];
    await database.listen('things', here.wake);
    await other.listen('things', () => {
      void Promise.resolve(ids(other)).then((found) => {
        read = found;
        if (found.length > 0) there.wake();
      });
    });
    const stop = await other.listen('things', stranger.wake);
    stop();
    await database.write(async (transaction) => {
      await transaction.run(put, [1, 'x']);
      await transaction.notify('things');
    });
    await Promise.all([here.called, there.called]);
    expect(read).toEqual([1]);
    await expect(Promise.race([stranger.called.then(() => 'woken'), Promise.resolve('asleep')])).resolves.toBe(
      'asleep',
    );
  });

  it('wakes nobody after a rollback', async () => {
    const { database } = await rig.parts({ migrations });
    let woken = 0;
    await database.listen('things', () => woken++);
    const undone = database.write(async (transaction) => {
      await transaction.notify('things');
      throw new TypeError('mine');
    });
    await expect(undone).rejects.toThrow('mine');
    const next = call();
    await database.listen('later', next.wake);
    await database.write((transaction) => transaction.notify('later'));
    await next.called;
    expect(woken).toBe(0);
  });

  it('closes once, after pending writes', async () => {
    const { database } = await rig.parts({ migrations });
    const writing = database.run(put, [1, 'x']);
    await Promise.all([database.close(), database.close(), writing]);
    for (const use of [
      () => database.all('SELECT 1'),
      () => database.run(put, [2, 'x']),
      () => database.listen('t', () => undefined),
    ]) {
      await expect((async () => use())()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    }
    const { database: again } = await rig.parts({ migrations });
    expect(await ids(again)).toEqual([1]);
  });
});

describe('parameters for Postgres', () => {
  it('are numbered in order, and never inside quotes', () => {
    expect(numberParameters(`SELECT '?', "a?", ? FROM t WHERE a = ? AND b = 'it''s ?' AND c IN (?, ?)`)).toBe(
      `SELECT '?', "a?", $1 FROM t WHERE a = $2 AND b = 'it''s ?' AND c IN ($3, $4)`,
    );
  });
});
