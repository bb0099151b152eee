/** Enforces the rate limits of a session with a sliding window of call times. */

import type { Clock } from '../../kernel/clock.ts';
import type { ReachedBudgetLimit, Rates, RecentCallTimes } from './budget-options.ts';

export class RateLimiter {
  private readonly times: { readonly [kind in keyof Rates]-?: number[] };

  constructor(
    private readonly rates: Rates,
    private readonly clock: Clock,
    saved: RecentCallTimes | undefined,
  ) {
    // A time saved by a clock that was ahead would block calls for longer than the rate allows.
    const now = clock.wall();
    const notInFuture = (times: readonly number[] = []): number[] => times.map((time) => Math.min(time, now));
    this.times = { modelCalls: notInFuture(saved?.modelCalls), toolCalls: notInFuture(saved?.toolCalls) };
  }

  /** The call times to save with the session. */
  get snapshot(): RecentCallTimes {
    return { modelCalls: [...this.times.modelCalls], toolCalls: [...this.times.toolCalls] };
  }

  /** Counts a call, or returns the limit if it is reached. */
  countCall(kind: keyof Rates): ReachedBudgetLimit | undefined {
    const rate = this.rates[kind];
    if (rate === undefined) return undefined;
    const now = this.clock.wall();
    const recent = this.times[kind];
    while (recent.length > 0 && (recent[0] as number) <= now - rate.perMs) recent.shift();
    if (recent.length >= rate.max) return { limit: `rates.${kind}`, used: recent.length, of: rate.max };
    recent.push(now);
    return undefined;
  }

  /** The time of the last counted call. */
  lastTime(kind: keyof Rates): number | undefined {
    return this.times[kind].at(-1);
  }

  /** Removes a counted call that did not happen. */
  uncountCall(kind: keyof Rates, time: number | undefined): void {
    const at = time === undefined ? -1 : this.times[kind].lastIndexOf(time);
    if (at !== -1) this.times[kind].splice(at, 1);
  }
}
