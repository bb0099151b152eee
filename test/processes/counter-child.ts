/**
 * Takes from a shared account as fast as it can until it was refused often enough. Prints when each request was
 * granted.
 */

import type { TakeRequest } from '../../src/store/counters/counters.ts';
import { openStore } from '../../src/store/open-store.ts';
import { nextOrder, type Place, readOptions, tell } from './orders.ts';

interface CounterOptions extends Place {
  readonly taking: TakeRequest;
  /** It continues until both are reached. */
  readonly refusals: number;
  readonly forMs: number;
}

export interface CounterReport {
  /** The times before and after each granted request. */
  readonly granted: readonly (readonly [before: number, after: number])[];
  readonly refused: number;
}

const { at, keys, taking, refusals, forMs } = readOptions<CounterOptions>();
const store = await openStore({ at, keys });
tell('ready');
await nextOrder();
const granted: [number, number][] = [];
let refused = 0;
const end = Date.now() + forMs;
while (refused < refusals || Date.now() < end) {
  const before = Date.now();
  const full = await store.counters.take(taking);
  if (full === undefined) granted.push([before, Date.now()]);
  else refused++;
}
tell(JSON.stringify({ granted, refused } satisfies CounterReport));
await store.close();
