/** The pending approvals among those a run waits for. If one is settled, the run can continue. */

import type { Queries } from '../database/database.ts';

/** Ids that still wait for an answer. An approval that is missing or expired does not. */
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
