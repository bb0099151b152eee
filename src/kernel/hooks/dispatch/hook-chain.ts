/**
 * The hooks of one point, and calling them. Dispatch stays synchronous until a hook returns a promise, and has no special
 * cases for points. Hooks are timed one by one until the chain has proven fast. From then on they are timed together, if
 * the caller passes the start time.
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

/** After this many rounds in which every hook was fast, the hooks of a chain are timed together. */
const roundsToTrust = 8;
const fastMs = 1;

/** Hooks that cannot answer. They run after the hooks that can. */
interface NonAnsweringHooks {
  /** The dispatch waits for these. */
  readonly observing: HookChain;
  /** These run in the background, each as its own chain. */
  readonly detached: readonly HookChain[];
}

/** An immutable snapshot of the hooks of one point. */
export class HookChain {
  /** True if all hooks have the same limit and failure mode: then the outcome is the same whichever of them is slow. */
  private readonly areAlike: boolean;
  private fastRounds = 0;

  constructor(
    readonly point: HookPoint,
    readonly entries: readonly HookEntry[],
    private readonly nonAnswering?: NonAnsweringHooks,
  ) {
    const [first] = entries;
    this.areAlike = entries.every((each) => each.limitMs === first?.limitMs && each.failOpen === first.failOpen);
  }

  get isEmpty(): boolean {
    return this.entries.length === 0 && this.nonAnswering === undefined;
  }

  /** False if no hook in this chain can answer. */
  get canAnswer(): boolean {
    return this.entries.length > 0;
  }

  dispatch(payload: unknown, activity: Activity, startedAt?: number): MaybePromise<DispatchResult> {
    const result =
      this.fastRounds < roundsToTrust
        ? new HookDispatch(this, payload, activity).start(startedAt)
        : this.callAll(payload, activity, startedAt);
    const { nonAnswering } = this;
    if (nonAnswering === undefined) return result;
    const { point } = this;
    if (!isPromise(result))
      return callNonAnswering(nonAnswering, finalPayloadOf(point, payload, result), { activity, result });
    return result.then((settled) =>
      callNonAnswering(nonAnswering, finalPayloadOf(point, payload, settled), { activity, result: settled }),
    );
  }

  /** Records how long the slowest hook of a round took. */
  recordRound(slowestMs: number): void {
    this.fastRounds = slowestMs < fastMs && this.areAlike ? this.fastRounds + 1 : 0;
  }

  private callAll(payload: unknown, activity: Activity, startedAt: number | undefined): MaybePromise<DispatchResult> {
    const { entries } = this;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as HookEntry;
      let answer: unknown;
      try {
        answer = entry.method.call(entry.self, this.point.copyForHook(payload), activity.hookContext);
      } catch (thrown) {
        return new HookDispatch(this, payload, activity).startThrown(i, thrown, startedAt);
      }
      if (answer !== undefined) return new HookDispatch(this, payload, activity).startAnswered(i, answer, startedAt);
    }
    return (startedAt === undefined ? undefined : this.checkTime(activity, startedAt)) ?? unchangedResult;
  }

  private checkTime(activity: Activity, startedAt: number): DispatchResult | undefined {
    const [first] = this.entries;
    const tookMs = activity.workingTimeMs() - startedAt;
    if (first === undefined || tookMs < first.limitMs) return undefined;
    this.recordRound(tookMs);
    return reportOverrun(this.point, this.entries, { activity, tookMs });
  }
}

/** The payload that was used or refused, for the hooks that cannot answer. A withheld result is withheld from them too. */
function finalPayloadOf({ withhold }: HookPoint, payload: unknown, result: DispatchResult): unknown {
  if (result.type === 'passed') return result.payload ?? payload;
  const refused = refusedPayloads.get(result) ?? payload;
  return withhold === undefined ? refused : withhold(refused, withheldText(result));
}

interface SettledDispatch {
  readonly activity: Activity;
  readonly result: DispatchResult;
}

/** Calls the hooks that cannot answer. They cannot change the result. */
function callNonAnswering(
  { observing, detached }: NonAnsweringHooks,
  final: unknown,
  { activity, result }: SettledDispatch,
): MaybePromise<DispatchResult> {
  for (const chain of detached) {
    // Starts after the caller continues, so a slow detached hook cannot delay it.
    activity.runInBackground(Promise.resolve().then(() => chain.dispatch(final, activity, activity.workingTimeMs())));
  }
  if (!observing.canAnswer) return result;
  const seen = observing.dispatch(final, activity, activity.workingTimeMs());
  return isPromise(seen) ? seen.then(() => result) : result;
}
