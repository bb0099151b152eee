/**
 * A damaged index silently hides rows. Where a hidden row would allow something (a remembered denial, a used amount),
 * tables and indexes are compared before they are used.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Database } from '../database/database.ts';

/**
 * Small tables only. The journal has its chain, other rows reveal a lost run or session, a lost approval is asked
 * again.
 */
const checkedTables = ['bridle_answers', 'bridle_counters', 'bridle_counter_marks', 'bridle_counter_times'];

/** SQLite only: a server is trusted with its own indexes. */
export async function checkTables(database: Database): Promise<void> {
  if (database.dialect !== 'sqlite') return;
  const existing = await database.all("SELECT name FROM sqlite_master WHERE type = 'table'");
  const names = new Set(existing.map(({ name }) => name));
  for (const table of checkedTables.filter((name) => names.has(name))) {
    const [found] = await database.all(`PRAGMA integrity_check(${table})`);
    const problem = found?.['integrity_check'];
    if (problem !== 'ok') {
      throw new BridleError(
        'STORE_DAMAGED',
        `The store is damaged: the table ${table} is inconsistent (${String(problem)}). Restore it from a backup.`,
      );
    }
  }
}
