/** Trying again while a store is away. */

import { setTimeout as sleep } from 'node:timers/promises';
import { BridleError } from '../../errors.ts';

/** A store that is away comes back, or another process takes over: until then `work` is tried again. */
export async function patiently<T>(patienceMs: number, work: () => Promise<T>): Promise<T> {
  const until = Date.now() + patienceMs;
  for (let pause = 50; ; pause = Math.min(1000, pause * 2)) {
    try {
      return await work();
    } catch (error) {
      const passing = error instanceof BridleError && error.code === 'STORE_FAILED';
      if (!passing || Date.now() + pause >= until) throw error;
    }
    await sleep(pause);
  }
}
