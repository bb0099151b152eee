/** Cancelling a run with everything it has asked: nobody is to answer what nobody waits for. */

import type { Store } from './store.ts';

/** False if the run had ended, or there is none. */
export async function cancelRun(store: Store, id: string, by: string): Promise<boolean> {
  if (!(await store.runs.cancel(id, by))) return false;
  await withdrawQuestions(store, id, by);
  return true;
}

/** Takes back what a run has asked and nobody has answered. */
export async function withdrawQuestions({ approvals }: Store, run: string, by: string): Promise<void> {
  const asked = await approvals.list({ run, state: 'pending', limit: 1000 });
  for (const { id } of asked) await approvals.move(id, { from: 'pending', to: 'cancelled', by });
}
