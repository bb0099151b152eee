/** Whether approvals that a run waits for are settled: then there is something to go on with. */

import type { Queries } from '../database/database.ts';

/** Those that still wait for an answer. One that is not there, or whose time is over, waits for nothing. */
export async function pendingApprovalsOf(
  queries: Queries,
  { namespace, now }: { readonly namespace: string; readonly now: number },
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await queries.all(
    `SELECT id FROM bridle_approvals
     WHERE namespace = ? AND state = 'pending' AND expires_at > ? AND id IN (${ids.map(() => '?').join(', ')})`,
    [namespace, now, ...ids],
  );
  const pending = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => pending.has(id));
}
