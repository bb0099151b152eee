/**
 * Time limits without a timer each: everything that waits stands in one list, and one coarse ticker for the whole
 * clock looks through it. A limit is kept to within two ticks, never early. The ticker runs only while something waits.
 */

import type { Clock } from './clock.ts';
import { getOrMake } from './lazy.ts';
import { whenSettled } from './maybe-promise.ts';

const tickMs = 50;

/** How much later than its limit a wait may end. */
export const coarseMs = 2 * tickMs;

/** Something that waits, and what happens if it waits too long. */
export abstract class Waiting {
  limitMs = 0;
  /** Counted from the first tick on, so that time in which nothing could tick does not count. */
  due = Number.POSITIVE_INFINITY;
  before: Waiting | undefined;
  after: Waiting | undefined;
  listed = false;

  /** The limit has passed. It is off the list by then. */
  abstract expire(): void;

  /** True while the wait does not count: a person is being asked. */
  held(): boolean {
    return false;
  }

  /** True if nobody waits for it any more: it must not keep the ticker, and so the process, alive. */
  abandoned(): boolean {
    return false;
  }
}

export class Deadlines {
  /** How often the ticker has ticked. */
  ticks = 0;
  private first: Waiting | undefined;
  private stop: (() => void) | undefined;
  private coarseNow = 0;

  constructor(private readonly clock: Clock) {}

  /** Starts, or starts anew, the limit of `waiting`. */
  set(waiting: Waiting, limitMs: number): void {
    if (this.stop === undefined) {
      this.coarseNow = this.clock.now();
      this.stop = this.clock.every(tickMs, () => this.sweep());
    }
    waiting.limitMs = limitMs;
    waiting.due = Number.POSITIVE_INFINITY;
    if (waiting.listed) return;
    waiting.listed = true;
    waiting.before = undefined;
    waiting.after = this.first;
    if (this.first !== undefined) this.first.before = waiting;
    this.first = waiting;
  }

  clear(waiting: Waiting): void {
    if (!waiting.listed) return;
    waiting.listed = false;
    if (waiting.before === undefined) this.first = waiting.after;
    else waiting.before.after = waiting.after;
    if (waiting.after !== undefined) waiting.after.before = waiting.before;
    waiting.before = undefined;
    waiting.after = undefined;
  }

  /** Holds what is held, up to now: to be called before something stops being held. */
  catchUp(): number {
    const now = this.clock.now();
    const passed = now - this.coarseNow;
    this.coarseNow = now;
    for (let each = this.first; each !== undefined; each = each.after) {
      if (each.held()) each.due += passed;
    }
    return now;
  }

  private sweep(): void {
    this.ticks++;
    const now = this.catchUp();
    const expired: Waiting[] = [];
    const left: Waiting[] = [];
    for (let each = this.first; each !== undefined; each = each.after) {
      if (each.abandoned()) left.push(each);
      if (each.held() || each.abandoned()) continue;
      if (each.due === Number.POSITIVE_INFINITY) each.due = now + each.limitMs;
      else if (each.due <= now) expired.push(each);
    }
    for (const each of left) this.clear(each);
    for (const each of expired) {
      // What expired before it may have ended this one too.
      if (!each.listed) continue;
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

/** The one list of a clock. */
export function deadlinesOf(clock: Clock): Deadlines {
  return getOrMake(shared, clock, () => new Deadlines(clock));
}

/** What {@link within} gives when the limit passed first. */
export const timedOut: unique symbol = Symbol('timed out');

/** Waits for `promise` at most `limitMs`; a late value or error is ignored. */
export function within<T>(
  promise: PromiseLike<T>,
  limitMs: number,
  options: { deadlines: Deadlines; held?: () => boolean },
): Promise<T | typeof timedOut> {
  return new Promise((resolve, reject) => {
    const wait = new Wait(() => resolve(timedOut), options.held);
    const once =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        if (!wait.listed) return;
        options.deadlines.clear(wait);
        settle(value);
      };
    whenSettled(promise, once(resolve), once(reject));
    options.deadlines.set(wait, limitMs);
  });
}

class Wait extends Waiting {
  constructor(
    readonly expire: () => void,
    private readonly hold: (() => boolean) | undefined,
  ) {
    super();
  }

  override held(): boolean {
    return this.hold?.() ?? false;
  }
}
