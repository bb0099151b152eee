/** A real database whose writes fail as planned: before anything was done, or after all of it was. */

import type { Database } from '../src/store/database/database.ts';

export type Fault = 'none' | 'before' | 'after';

/** Takes the faults from the front of the list, one for each write; without any left, nothing fails. */
export function losing(database: Database, faults: Fault[], failure: () => Error): Database {
  const write: Database['write'] = async (work) => {
    const fault = faults.shift() ?? 'none';
    if (fault === 'before') throw failure();
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
