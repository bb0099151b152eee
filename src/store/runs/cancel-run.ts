/** Cancelling a run with everything it has asked: nobody is to answer what nobody waits for. */

import type { Store } from '../store.ts';

/** False if the run had ended, or there is none. */
export async function cancelRun({ runs, approvals }: Store, id: string, by: string): Promise<boolean> {
  if (!(await runs.cancel(id, by))) return false;
  const asked = await approvals.list({ run: id, state: 'pending', limit: 1000 });
  for (const approval of asked) await approvals.move(approval.id, { from: 'pending', to: 'cancelled', by });
  return true;
}
