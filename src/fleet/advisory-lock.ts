/** A lock that Postgres keeps for as long as a connection lives. */

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const tryLock = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked';
const unlock = 'SELECT pg_advisory_unlock(hashtextextended($1, 0))';

/** Does the work if nobody else does it now; tells whether it did. */
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
    // A lock that could not be given back goes with its connection.
    client.release(broken);
  }
}

/**
 * Does the work once nobody else does it. It tries instead of waiting inside of Postgres: a statement that waits holds a
 * snapshot, and making an index beside it would wait for that in turn, for ever.
 */
export async function withLock(pool: pg.Pool, name: string, work: () => Promise<void>): Promise<void> {
  while (!(await tryWithLock(pool, name, work))) await sleep(50);
}
