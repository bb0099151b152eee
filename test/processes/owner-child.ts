/** Claims a run and records steps as fast as it can. Logs what was acknowledged to a file outside the store. */

import { appendFileSync } from 'node:fs';
import { BridleError } from '../../src/kernel/errors.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type Place, readOptions, tell } from './orders.ts';

export interface OwnerOptions extends Place {
  readonly run: string;
  readonly ledger: string;
  readonly leaseMs: number;
  /** After this many steps the whole process stops until it is woken. */
  readonly sleepAfter?: number | undefined;
}

const { at, keys, run, ledger, leaseMs, sleepAfter } = readOptions<OwnerOptions>();
const store = await openStore({ at, keys });
const claim = await store.runs.claim(run, { leaseMs });
if (typeof claim === 'string') {
  tell(`refused: ${claim}`);
  await store.close();
  process.exit(0);
}
const { segment } = claim.run;
let count = (await claim.steps()).length;
tell(`taken ${segment}`);
try {
  for (;;) {
    const name = `${segment}-${count++}`;
    await claim.record({ kind: 'k', name, value: segment }, name);
    appendFileSync(ledger, `${name}\n`);
    tell(name);
    if (count === sleepAfter) process.kill(process.pid, 'SIGSTOP');
  }
} catch (error) {
  if (!(error instanceof BridleError) || error.code !== 'RUN_FENCED') throw error;
  tell(`fenced: ${error.message}`);
  await store.close();
}
