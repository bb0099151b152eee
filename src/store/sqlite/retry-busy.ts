/** Retries while another process has locked the file, without blocking the event loop. */

import { sleep } from '../database/sleep.ts';
import { isBusy } from './sqlite-error.ts';

/** How long another process may keep the file locked. */
const maxWaitMs = 30_000;
const firstPauseMs = 1;
const longestPauseMs = 12;

/** Synchronous if the file is not locked. */
export function retryWhileBusy<T>(attempt: () => T): T | Promise<T> {
  try {
    return attempt();
  } catch (error) {
    if (!isBusy(error)) throw error;
    return retry(attempt);
  }
}

async function retry<T>(attempt: () => T): Promise<T> {
  const end = performance.now() + maxWaitMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    // Jitter, so that several waiters do not retry at the same moment.
    await sleep(pause * (0.5 + Math.random()));
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
  }
}
