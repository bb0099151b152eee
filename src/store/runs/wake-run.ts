/** Wakes a run: an approval it waits for was settled, so any process may claim it. */

import type { Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace-context.ts';
import { RunRows } from './run-rows.ts';

/** Call it in the transaction that settles an approval of the run. Does nothing if the run is not waiting. */
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
