/** A lock on a real server: one at a time, and given back whatever happens. */

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../test/rigs/fleet-rig.ts';
import { askPostgres, describePostgres } from '../../test/rigs/store-rig.ts';
import { tryWithLock, withLock } from './advisory-lock.ts';

describePostgres('a lock', (rig) => {
  const pools: pg.Pool[] = [];
  const open = (): pg.Pool => {
    const pool = new pg.Pool({ connectionString: rig.at.split('?')[0], max: 2 });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    pools.push(pool);
    return pool;
  };
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.end();
  });

  it('lets one in at a time, and eventually everyone', async () => {
    let [now, most, done] = [0, 0, 0];
    const work = async (): Promise<void> => {
      most = Math.max(most, ++now);
      await sleep(10);
      now--;
      done++;
    };
    await Promise.all([open(), open(), open()].map((pool) => withLock(pool, rig.folder, work)));
    expect([most, done]).toEqual([1, 3]);
  });

  it('can be tried without waiting, and is independent per name', async () => {
    const [one, two] = [open(), open()];
    let [begun, over] = [false, false];
    const held = tryWithLock(one, rig.folder, () => {
      begun = true;
      return until(() => over);
    });
    await until(() => begun);
    expect(await tryWithLock(two, rig.folder, async () => undefined)).toBe(false);
    expect(await tryWithLock(two, `${rig.folder} other`, async () => undefined)).toBe(true);
    over = true;
    expect(await held).toBe(true);
    expect(await tryWithLock(two, rig.folder, async () => undefined)).toBe(true);
  });

  it('is released when the work fails or the connection is lost', async () => {
    const [one, two] = [open(), open()];
    const failing = tryWithLock(one, rig.folder, () => Promise.reject(new RangeError('no')));
    await expect(failing).rejects.toThrow('no');
    const url = rig.at.split('?')[0] ?? '';
    const lost = tryWithLock(one, rig.folder, async () => {
      await askPostgres(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
         AND (classid::bigint << 32 | objid::bigint) = hashtextextended('${rig.folder}', 0)`,
      );
    });
    expect(await lost).toBe(true);
    // The server releases the lock just after it has closed the connection.
    while (!(await tryWithLock(two, rig.folder, async () => undefined))) await sleep(10);
    expect(await tryWithLock(one, rig.folder, async () => undefined)).toBe(true);
  });
});
