/** Cancels a run together with its open questions, so that nobody answers a question nobody waits for. */

import type { Store } from './store.ts';

/** False if the run has already ended or does not exist. */
export async function cancelRun(store: Store, id: string, by: string): Promise<boolean> {
  if (!(await store.runs.cancel(id, by))) return false;
  await withdrawQuestions(store, id, by);
  return true;
}

/** Cancels the questions of a run that nobody has answered. */
export async function withdrawQuestions({ approvals }: Store, run: string, by: string): Promise<void> {
  const pending = await approvals.list({ run, state: 'pending', limit: 1000 });
  for (const { id } of pending) await approvals.move(id, { from: 'pending', to: 'cancelled', by });
}
