/** Tries again while another process has the file, without holding up this one. */

import { sleep } from '../database/sleep.ts';
import { isBusy } from './sqlite-error.ts';

/** How long another process may keep the file before it is an error. */
const maxWaitMs = 30_000;
const firstPauseMs = 1;
const longestPauseMs = 12;

/** Synchronous when nobody is in the way. */
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
    // Several that wait must not come back at the same moment.
    await sleep(pause * (0.5 + Math.random()));
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
  }
}
