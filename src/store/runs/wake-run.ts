/** Waking a run: an answer it waits for has come, so whoever comes may take it. */

import type { Transaction } from '../database/database.ts';
import type { PartOptions } from '../part-options.ts';
import { RunRows } from './run-rows.ts';

/** To be called in the transaction that settles an approval of the run. A run that does not wait is left alone. */
export async function wakeRun(parts: PartOptions, transaction: Transaction, run: string): Promise<void> {
  const rows = new RunRows(parts);
  await rows.lock(transaction, run);
  for (;;) {
    const row = await rows.read(transaction, run);
    if (row?.state !== 'waiting') return;
    const woken = await rows.swap(transaction, row, { now: parts.clock(), state: 'queued', waitingFor: [] });
    if (woken === undefined) continue;
    await rows.notify(transaction);
    return;
  }
}
