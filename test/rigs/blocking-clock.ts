/** Time in tests: a clock that simulates blocking code, and helpers for promises. */

import { type FakeClock, fakeClock } from 'bridle/testing';

/** A clock that can also advance while nothing else runs, like blocking code. */
export interface BlockingClock extends FakeClock {
  block(ms: number): void;
}

export function blockingClock(): BlockingClock {
  const clock = fakeClock();
  let blocked = 0;
  return { ...clock, now: () => clock.now() + blocked, block: (ms) => void (blocked += ms) };
}

/** Settles after some time on a fake clock. */
export function sleep(clock: FakeClock, ms: number): Promise<void> {
  const until = clock.now() + ms;
  return new Promise((resolve) => {
    const stop = clock.every(10, () => {
      if (clock.now() < until) return;
      stop();
      resolve();
    });
  });
}

/** A promise that never settles. */
export function hang(): Promise<never> {
  return new Promise<never>(() => {});
}

/** True if a promise has not settled yet. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise, Promise.resolve(isPending)])) === isPending;
}
