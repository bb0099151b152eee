/** Retries store operations while the store is unavailable. */

import { setTimeout as sleep } from 'node:timers/promises';
import { BridleError } from '../../kernel/errors.ts';

/** Retries `work` with backoff while the store is unavailable, for up to `timeoutMs`. */
export async function retryStore<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const until = Date.now() + timeoutMs;
  for (let pause = 50; ; pause = Math.min(1000, pause * 2)) {
    try {
      return await work();
    } catch (error) {
      const isTransient = error instanceof BridleError && error.code === 'STORE_FAILED';
      if (!isTransient || Date.now() + pause >= until) throw error;
    }
    await sleep(pause);
  }
}
