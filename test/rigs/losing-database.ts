/** A real database whose writes fail as planned: before, during or after the work. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/store/database/database.ts';

export type Fault = 'none' | 'before' | 'during' | 'after';

const lateMs = 20;

/** Uses one fault from the front of the list for each write; without faults left, nothing fails. */
export function losing(database: Database, faults: Fault[], failure: () => Error): Database {
  const write: Database['write'] = async (work) => {
    const fault = faults.shift() ?? 'none';
    if (fault === 'before') throw failure();
    if (fault === 'during') {
      // The statements are done, the commit is still pending.
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
