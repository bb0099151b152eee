/** Every row of a SQLite file, past the store, for comparing. */

import Libsql from 'libsql';

/** JSON of all rows of all tables but that of namespaces, whose times differ. */
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
