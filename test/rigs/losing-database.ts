/** A real database whose writes fail as planned: before anything was done, while it is being done, or after all of it was. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/store/database/database.ts';

export type Fault = 'none' | 'before' | 'during' | 'after';

const lateMs = 20;

/** Takes the faults from the front of the list, one for each write; without any left, nothing fails. */
export function losing(database: Database, faults: Fault[], failure: () => Error): Database {
  const write: Database['write'] = async (work) => {
    const fault = faults.shift() ?? 'none';
    if (fault === 'before') throw failure();
    if (fault === 'during') {
      // Its statements are done, and its commit is still to come.
      await new Promise<void>((resolve, reject) => {
        const late = database.write(async (transaction) => {
          await work(transaction);
          resolve();
          await sleep(lateMs);
        });
        late.catch(reject);
      });
      throw failure();
    }
    const result = await database.write(work);
    if (fault === 'after') throw failure();
    return result;
  };
  return new Proxy(database, { get: (of, name) => (name === 'write' ? write : bound(of, name)) });
}

function bound(of: Database, name: string | symbol): unknown {
  const value: unknown = Reflect.get(of, name);
  return typeof value === 'function' ? (value.bind(of) as unknown) : value;
}
