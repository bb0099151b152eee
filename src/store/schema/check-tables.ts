/**
 * A damaged index makes rows disappear without a word. Where a row that is gone would allow something (a remembered no, an
 * amount that was used), tables and indexes are held against each other before anything in them is believed.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Database } from '../database/database.ts';

/** Small ones. The journal has its chain, runs and sessions tell by other rows what is missing, a lost approval is asked anew. */
const checkedTables = ['bridle_answers', 'bridle_counters', 'bridle_counter_marks', 'bridle_counter_times'];

/** A server answers for its own. */
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
        `The store is damaged: ${table} does not fit together (${String(problem)}). Restore it from a copy.`,
      );
    }
  }
}
