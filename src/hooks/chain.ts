/**
 * The hooks of one point, and calling them. It stays synchronous until a hook returns a promise, and never asks which
 * point it serves. Hooks are timed one by one until the chain has proven quick; from then on they are timed together,
 * if whoever dispatches says when it began.
 */

import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { Frame } from './context.ts';
import {
  type Dispatched,
  type Entry,
  type Flowing,
  overrun,
  refusedPayloads,
  untouched,
  withheldText,
} from './dispatched.ts';
import { Run } from './run.ts';

/** After this many rounds in which every hook was quick, the hooks of a chain are timed together. */
const roundsToTrust = 8;
const quickMs = 1;

/** Hooks that cannot answer. They are called after the hooks that can. */
interface Watchers {
  /** The dispatch waits for these. */
  readonly observing: Chain;
  /** These run in the background, a chain each. */
  readonly detached: readonly Chain[];
}

/** A snapshot: its hooks never change. */
export class Chain {
  /** Hooks with one limit and one way to fail need not be told apart: whichever was slow, the outcome is the same. */
  private readonly alike: boolean;
  private quickRounds = 0;

  constructor(
    readonly point: Flowing,
    readonly entries: readonly Entry[],
    private readonly watchers?: Watchers,
  ) {
    const [first] = entries;
    this.alike = entries.every((each) => each.limitMs === first?.limitMs && each.failOpen === first.failOpen);
  }

  get isEmpty(): boolean {
    return this.entries.length === 0 && this.watchers === undefined;
  }

  /** False if no hook here can answer anything. */
  get canAnswer(): boolean {
    return this.entries.length > 0;
  }

  dispatch(payload: unknown, frame: Frame, startedAt?: number): MaybePromise<Dispatched> {
    const result =
      this.quickRounds < roundsToTrust
        ? new Run(this, payload, frame).start(startedAt)
        : this.walk(payload, frame, startedAt);
    const { watchers } = this;
    if (watchers === undefined) return result;
    const { point } = this;
    if (!isPromise(result)) return watch(watchers, finalOf(point, payload, result), { frame, result });
    return result.then((settled) => watch(watchers, finalOf(point, payload, settled), { frame, result: settled }));
  }

  /** The slowest hook of a round took this long. */
  timed(slowestMs: number): void {
    this.quickRounds = slowestMs < quickMs && this.alike ? this.quickRounds + 1 : 0;
  }

  private walk(payload: unknown, frame: Frame, startedAt: number | undefined): MaybePromise<Dispatched> {
    const { entries } = this;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry;
      let answer: unknown;
      try {
        answer = entry.method.call(entry.self, this.point.lend(payload), frame.ctx);
      } catch (thrown) {
        return new Run(this, payload, frame).startThrown(i, thrown, startedAt);
      }
      if (answer !== undefined) return new Run(this, payload, frame).startAnswered(i, answer, startedAt);
    }
    return (startedAt === undefined ? undefined : this.checkTime(frame, startedAt)) ?? untouched;
  }

  private checkTime(frame: Frame, startedAt: number): Dispatched | undefined {
    const [first] = this.entries;
    const tookMs = frame.now() - startedAt;
    if (first === undefined || tookMs < first.limitMs) return undefined;
    this.timed(tookMs);
    return overrun(this.point, this.entries, { frame, tookMs });
  }
}

/** The value that is used, or the value that was refused; a result that is withheld is withheld from everybody. */
function finalOf({ withheld }: Flowing, payload: unknown, result: Dispatched): unknown {
  if (result.type === 'passed') return result.payload ?? payload;
  const refused = refusedPayloads.get(result) ?? payload;
  return withheld === undefined ? refused : withheld(refused, withheldText(result));
}

interface Settled {
  readonly frame: Frame;
  readonly result: Dispatched;
}

/** Calls the watchers. Nothing that they do changes the result. */
function watch(
  { observing, detached }: Watchers,
  final: unknown,
  { frame, result }: Settled,
): MaybePromise<Dispatched> {
  for (const chain of detached) {
    // Not before whoever dispatched goes on: however slow, it is no part of this.
    frame.background(Promise.resolve().then(() => chain.dispatch(final, frame, frame.now())));
  }
  if (!observing.canAnswer) return result;
  const seen = observing.dispatch(final, frame, frame.now());
  return isPromise(seen) ? seen.then(() => result) : result;
}
