/** A clock for tests that moves only when advanced. */

import type { Clock } from '../kernel/clock.ts';

export interface FakeClock extends Clock {
  /** Advances the time, fires all timers that are due, and lets pending promises continue. */
  advance(ms: number): Promise<void>;
}

interface Ticker {
  readonly ms: number;
  readonly tick: () => void;
  next: number;
}

/** Creates a stopped clock, set to 1 January 2026. */
export function fakeClock(): FakeClock {
  const start = Date.UTC(2026, 0, 1);
  const tickers = new Set<Ticker>();
  let now = 0;
  return {
    now: () => now,
    wall: () => start + now,
    every(ms, tick) {
      const ticker = { ms, tick, next: now + ms };
      tickers.add(ticker);
      return () => tickers.delete(ticker);
    },
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await flushPromises();
        const due = [...tickers].toSorted((a, b) => a.next - b.next)[0];
        if (due === undefined || due.next > end) break;
        now = due.next;
        due.next += due.ms;
        due.tick();
      }
      now = end;
      await flushPromises();
    },
  };
}

/** Waits until all promises that can continue have done so. */
function flushPromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
