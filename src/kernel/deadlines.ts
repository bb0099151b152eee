/**
 * Time limits without one timer each. All waits of a clock are in one linked list, and one coarse ticker scans it.
 * A limit is accurate to two ticks and never fires early. The ticker runs only while something waits.
 */

import type { Clock } from './clock.ts';
import { getOrCreate } from './lazy.ts';
import { whenSettled } from './maybe-promise.ts';

const tickMs = 50;

/** How much later than its limit a wait may expire. */
export const toleranceMs = 2 * tickMs;

/** A wait with a time limit. Subclasses define what happens when it expires. */
export abstract class TimedWait {
  limitMs = 0;
  /** Set at the first tick, so time during which the event loop was blocked does not count. */
  dueAt = Number.POSITIVE_INFINITY;
  previousWait: TimedWait | undefined;
  nextWait: TimedWait | undefined;
  isListed = false;

  /** Called when the limit has passed, after the wait was removed from the list. */
  abstract expire(): void;

  /** True while the time does not count because a person is being asked. */
  isPaused(): boolean {
    return false;
  }

  /** True if its result is no longer needed. It must then not keep the ticker, and so the process, alive. */
  isAbandoned(): boolean {
    return false;
  }
}

export class Deadlines {
  ticks = 0;
  private first: TimedWait | undefined;
  private stop: (() => void) | undefined;
  private lastSweepAt = 0;

  constructor(private readonly clock: Clock) {}

  /** Starts or restarts the time limit of a wait. */
  set(waiting: TimedWait, limitMs: number): void {
    if (this.stop === undefined) {
      this.lastSweepAt = this.clock.now();
      this.stop = this.clock.every(tickMs, () => this.sweep());
    }
    waiting.limitMs = limitMs;
    waiting.dueAt = Number.POSITIVE_INFINITY;
    if (waiting.isListed) return;
    waiting.isListed = true;
    waiting.previousWait = undefined;
    waiting.nextWait = this.first;
    if (this.first !== undefined) this.first.previousWait = waiting;
    this.first = waiting;
  }

  clear(waiting: TimedWait): void {
    if (!waiting.isListed) return;
    waiting.isListed = false;
    if (waiting.previousWait === undefined) this.first = waiting.nextWait;
    else waiting.previousWait.nextWait = waiting.nextWait;
    if (waiting.nextWait !== undefined) waiting.nextWait.previousWait = waiting.previousWait;
    waiting.previousWait = undefined;
    waiting.nextWait = undefined;
  }

  /** Extends paused waits by the time since the last call. Call it before a wait stops being paused. */
  extendPaused(): number {
    const now = this.clock.now();
    const passed = now - this.lastSweepAt;
    this.lastSweepAt = now;
    for (let each = this.first; each !== undefined; each = each.nextWait) {
      if (each.isPaused()) each.dueAt += passed;
    }
    return now;
  }

  private sweep(): void {
    this.ticks++;
    const now = this.extendPaused();
    const expired: TimedWait[] = [];
    let next: TimedWait | undefined;
    for (let each = this.first; each !== undefined; each = next) {
      next = each.nextWait;
      if (each.isAbandoned()) this.clear(each);
      else if (each.isPaused()) continue;
      else if (each.dueAt === Number.POSITIVE_INFINITY) each.dueAt = now + each.limitMs;
      else if (each.dueAt <= now) expired.push(each);
    }
    for (const each of expired) {
      // An earlier expiry in this loop may have ended this wait as well.
      if (!each.isListed) continue;
      this.clear(each);
      each.expire();
    }
    if (this.first === undefined) {
      this.stop?.();
      this.stop = undefined;
    }
  }
}

const shared = new WeakMap<Clock, Deadlines>();

export function deadlinesOf(clock: Clock): Deadlines {
  return getOrCreate(shared, clock, () => new Deadlines(clock));
}

/** What {@link withTimeout} returns when the limit passes first. */
export const timedOut: unique symbol = Symbol('timed out');

/** Waits for `promise` for at most `limitMs`. A late value or error is ignored. */
export function withTimeout<T>(
  promise: PromiseLike<T>,
  limitMs: number,
  options: { deadlines: Deadlines; held?: () => boolean },
): Promise<T | typeof timedOut> {
  return new Promise((resolve, reject) => {
    const { deadlines, held } = options;
    const wait = new PromiseWait(() => resolve(timedOut), held);
    const thenClear =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        deadlines.clear(wait);
        settle(value);
      };
    whenSettled(promise, thenClear(resolve), thenClear(reject));
    deadlines.set(wait, limitMs);
  });
}

class PromiseWait extends TimedWait {
  constructor(
    readonly expire: () => void,
    private readonly hold: (() => boolean) | undefined,
  ) {
    super();
  }

  override isPaused(): boolean {
    return this.hold?.() ?? false;
  }
}
