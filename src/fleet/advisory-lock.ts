/** Postgres advisory locks, held as long as their connection is open. */

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const tryLock = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked';
const unlock = 'SELECT pg_advisory_unlock(hashtextextended($1, 0))';

/** Runs `work` if the lock is free; returns whether it ran. */
export async function tryWithLock(pool: pg.Pool, name: string, work: () => Promise<void>): Promise<boolean> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await client.query<{ locked: boolean }>(tryLock, [name]);
    if (rows[0]?.locked !== true) return false;
    try {
      await work();
    } finally {
      await client.query(unlock, [name]).catch((error: Error) => (broken = error));
    }
    return true;
  } finally {
    // If the unlock failed, closing the connection releases the lock.
    client.release(broken);
  }
}

/**
 * Runs `work` once the lock is free. It polls instead of waiting in Postgres: a waiting statement has a snapshot, and
 * creating an index concurrently would wait for that snapshot, which is a deadlock.
 */
export async function withLock(pool: pg.Pool, name: string, work: () => Promise<void>): Promise<void> {
  while (!(await tryWithLock(pool, name, work))) await sleep(50);
}
