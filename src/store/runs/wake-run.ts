/** Waking a run: an answer it waits for has come, so whoever comes may take it. */

import type { Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace-context.ts';
import { RunRows } from './run-rows.ts';

/** To be called in the transaction that settles an approval of the run. A run that does not wait is left alone. */
export async function wakeRun(context: NamespaceContext, transaction: Transaction, run: string): Promise<void> {
  const rows = new RunRows(context);
  await rows.lock(transaction, run);
  for (;;) {
    const row = await rows.read(transaction, run);
    if (row?.state !== 'waiting') return;
    const woken = await rows.swap(transaction, row, { now: context.clock(), state: 'queued', waitingFor: [] });
    if (woken === undefined) continue;
    await rows.notify(transaction);
    return;
  }
}
