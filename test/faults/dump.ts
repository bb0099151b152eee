/** Every row of a SQLite file, read without the store, for comparison. */

import Libsql from 'libsql';

/** JSON of all rows of all tables except namespaces, whose timestamps differ. */
export function dump(path: string): string {
  const database = new Libsql(path);
  try {
    const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
    const tables = (names as { name: string }[]).map(({ name }) => name).filter((name) => name !== 'bridle_namespaces');
    return JSON.stringify(tables.map((name) => [name, database.prepare(`SELECT rowid, * FROM ${name}`).all()]));
  } finally {
    database.close();
  }
}
