/** A clock that moves when it is told to. */

import type { Clock } from '../kernel/clock.ts';

export interface FakeClock extends Clock {
  /** Moves time on, ticking as it goes, and lets what was waiting go on. */
  advance(ms: number): Promise<void>;
}

interface Ticker {
  readonly ms: number;
  readonly tick: () => void;
  next: number;
}

/** A clock that starts at the beginning of 2026 and stands still. */
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

/** Long enough for every promise that can go on to go on. */
function flushPromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
