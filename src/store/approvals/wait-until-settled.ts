/** Waits for an answer: woken when it is recorded, or when the approval expires. */

import { setTimeout as delay } from 'node:timers/promises';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import { WakeSignal } from './wake-signal.ts';

export interface SettledWait {
  readonly signal: AbortSignal;
  readonly read: () => Promise<ApprovalRecord>;
  readonly now: () => MaybePromise<number>;
  readonly expire: (now: number) => Promise<boolean>;
  readonly listen: (wake: () => void) => Promise<() => void>;
}

/** The longest sleep. Limits the delay after a lost wake-up or a changed clock. */
const maxSleepMs = 60_000;

/** The record once it is no longer pending, or its current version when the signal is aborted. */
export async function waitUntilSettled(wait: SettledWait): Promise<ApprovalRecord> {
  const wakeSignal = new WakeSignal();
  // Listen before the first read, or an answer in between would be missed.
  const stop = await wait.listen(() => wakeSignal.wake());
  const onAbort = (): void => wakeSignal.wake();
  wait.signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const woken = wakeSignal.next();
      const record = await wait.read();
      if (record.state !== 'pending' || wait.signal.aborted) return record;
      const now = await wait.now();
      if (now >= record.expiresAt) await wait.expire(now);
      else await waitOrTimeout(woken, Math.min(record.expiresAt - now, maxSleepMs));
    }
  } finally {
    stop();
    wait.signal.removeEventListener('abort', onAbort);
  }
}

async function waitOrTimeout(woken: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController();
  const timeout = delay(Math.max(1, Math.ceil(ms)), undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([woken, timeout]);
  timer.abort();
}
