/**
 * The hooks of one point, and calling them. It stays synchronous until a hook returns a promise, and never asks which
 * point it serves. Hooks are timed one by one until the chain has proven quick; from then on they are timed together,
 * if whoever dispatches says when it began.
 */

import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { Activity } from '../points/hook-context.ts';
import {
  type DispatchResult,
  type HookEntry,
  type HookPoint,
  reportOverrun,
  refusedPayloads,
  unchangedResult,
  withheldText,
} from './dispatch-result.ts';
import { HookDispatch } from './hook-dispatch.ts';

/** After this many rounds in which every hook was quick, the hooks of a chain are timed together. */
const roundsToTrust = 8;
const quickMs = 1;

/** Hooks that cannot answer. They are called after the hooks that can. */
interface NonAnsweringHooks {
  /** The dispatch waits for these. */
  readonly observing: HookChain;
  /** These run in the background, a chain each. */
  readonly detached: readonly HookChain[];
}

/** A snapshot: its hooks never change. */
export class HookChain {
  /** Hooks with one limit and one way to fail need not be told apart: whichever was slow, the outcome is the same. */
  private readonly alike: boolean;
  private quickRounds = 0;

  constructor(
    readonly point: HookPoint,
    readonly entries: readonly HookEntry[],
    private readonly watchers?: NonAnsweringHooks,
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

  dispatch(payload: unknown, frame: Activity, startedAt?: number): MaybePromise<DispatchResult> {
    const result =
      this.quickRounds < roundsToTrust
        ? new HookDispatch(this, payload, frame).start(startedAt)
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

  private walk(payload: unknown, frame: Activity, startedAt: number | undefined): MaybePromise<DispatchResult> {
    const { entries } = this;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as HookEntry;
      let answer: unknown;
      try {
        answer = entry.method.call(entry.self, this.point.lend(payload), frame.ctx);
      } catch (thrown) {
        return new HookDispatch(this, payload, frame).startThrown(i, thrown, startedAt);
      }
      if (answer !== undefined) return new HookDispatch(this, payload, frame).startAnswered(i, answer, startedAt);
    }
    return (startedAt === undefined ? undefined : this.checkTime(frame, startedAt)) ?? unchangedResult;
  }

  private checkTime(frame: Activity, startedAt: number): DispatchResult | undefined {
    const [first] = this.entries;
    const tookMs = frame.now() - startedAt;
    if (first === undefined || tookMs < first.limitMs) return undefined;
    this.timed(tookMs);
    return reportOverrun(this.point, this.entries, { frame, tookMs });
  }
}

/** The value that is used, or the value that was refused; a result that is withheld is withheld from everybody. */
function finalOf({ withheld }: HookPoint, payload: unknown, result: DispatchResult): unknown {
  if (result.type === 'passed') return result.payload ?? payload;
  const refused = refusedPayloads.get(result) ?? payload;
  return withheld === undefined ? refused : withheld(refused, withheldText(result));
}

interface Settled {
  readonly frame: Activity;
  readonly result: DispatchResult;
}

/** Calls the watchers. Nothing that they do changes the result. */
function watch(
  { observing, detached }: NonAnsweringHooks,
  final: unknown,
  { frame, result }: Settled,
): MaybePromise<DispatchResult> {
  for (const chain of detached) {
    // Not before whoever dispatched goes on: however slow, it is no part of this.
    frame.background(Promise.resolve().then(() => chain.dispatch(final, frame, frame.now())));
  }
  if (!observing.canAnswer) return result;
  const seen = observing.dispatch(final, frame, frame.now());
  return isPromise(seen) ? seen.then(() => result) : result;
}
