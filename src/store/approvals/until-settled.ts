/** Waiting for an answer: woken by whoever gives it, or by the end of the time there is for it. */

import { setTimeout as delay } from 'node:timers/promises';
import type { MaybePromise } from '../../maybe-promise.ts';
import type { ApprovalRecord } from './approval-record.ts';
import { Bell } from './bell.ts';

export interface Waiting {
  readonly signal: AbortSignal;
  readonly read: () => Promise<ApprovalRecord>;
  readonly now: () => MaybePromise<number>;
  readonly expire: (now: number) => Promise<boolean>;
  readonly listen: (wake: () => void) => Promise<() => void>;
}

/** The longest sleep: a wake-up that got lost, or a clock that was set, is made good after it. */
const mostMs = 60_000;

/** The record when it is no longer pending, or as it is when the signal is aborted. */
export async function untilSettled(waiting: Waiting): Promise<ApprovalRecord> {
  const bell = new Bell();
  // Listening begins before the first look, or an answer in between would be missed.
  const stop = await waiting.listen(() => bell.ring());
  const onAbort = (): void => bell.ring();
  waiting.signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const heard = bell.next();
      const record = await waiting.read();
      if (record.state !== 'pending' || waiting.signal.aborted) return record;
      const now = await waiting.now();
      if (now >= record.expiresAt) await waiting.expire(now);
      else await sleep(heard, Math.min(record.expiresAt - now, mostMs));
    }
  } finally {
    stop();
    waiting.signal.removeEventListener('abort', onAbort);
  }
}

async function sleep(heard: Promise<void>, ms: number): Promise<void> {
  const awake = new AbortController();
  const slept = delay(Math.max(1, Math.ceil(ms)), undefined, { signal: awake.signal }).catch(() => undefined);
  await Promise.race([heard, slept]);
  awake.abort();
}
