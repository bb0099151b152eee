/**
 * The hooks of one point, and calling them. Dispatch stays synchronous until a hook returns a promise, and has no special
 * cases for points. Hooks that are alike are timed together, if the caller passes the start time: reading the clock for
 * each would cost more than calling it. Once they took too long, each is timed.
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

/** Hooks that cannot answer. They run after the hooks that can. */
interface NonAnsweringHooks {
  /** The dispatch waits for these. */
  readonly observing: HookChain;
  /** These run in the background, each as its own chain. */
  readonly detached: readonly HookChain[];
}

/** An immutable snapshot of the hooks of one point. */
export class HookChain {
  /** False if all hooks have the same limit and failure mode: then the outcome is the same whichever of them is slow. */
  timesEach: boolean;
  readonly isEmpty: boolean;
  /** False if no hook in this chain can answer. */
  readonly canAnswer: boolean;

  constructor(
    readonly point: HookPoint,
    readonly entries: readonly HookEntry[],
    private readonly nonAnswering?: NonAnsweringHooks,
  ) {
    this.canAnswer = entries.length > 0;
    this.isEmpty = !this.canAnswer && nonAnswering === undefined;
    const [first] = entries;
    this.timesEach = entries.some((each) => each.limitMs !== first?.limitMs || each.failOpen !== first.failOpen);
  }

  dispatch(payload: unknown, activity: Activity, startedAt?: number): MaybePromise<DispatchResult> {
    const result = this.timesEach
      ? new HookDispatch(this, payload, activity).start(startedAt)
      : this.callAll(payload, activity, startedAt);
    if (this.nonAnswering === undefined) return result;
    if (!isPromise(result)) return this.callNonAnswering(result, payload, activity);
    return result.then((settled) => this.callNonAnswering(settled, payload, activity));
  }

  private callAll(payload: unknown, activity: Activity, startedAt: number | undefined): MaybePromise<DispatchResult> {
    const { entries } = this;
    const { copyForHook } = this.point;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as HookEntry;
      let answer: unknown;
      try {
        const copy = copyForHook === undefined ? payload : copyForHook(payload);
        answer = entry.method.call(entry.self, copy, activity.hookContext);
      } catch (thrown) {
        return new HookDispatch(this, payload, activity).startThrown(i, thrown, startedAt);
      }
      if (answer !== undefined) return new HookDispatch(this, payload, activity).startAnswered(i, answer, startedAt);
    }
    const [first] = entries;
    if (startedAt === undefined || first === undefined) return unchangedResult;
    const tookMs = activity.workingTimeMs() - startedAt;
    if (tookMs < first.limitMs) return unchangedResult;
    this.timesEach = entries.length > 1;
    return reportOverrun(this.point, entries, { activity, tookMs }) ?? unchangedResult;
  }

  /** Calls the hooks that cannot answer. They cannot change the result. */
  private callNonAnswering(result: DispatchResult, payload: unknown, activity: Activity): MaybePromise<DispatchResult> {
    const { observing, detached } = this.nonAnswering as NonAnsweringHooks;
    const final = finalPayloadOf(this.point, payload, result);
    for (const chain of detached) {
      // Starts after the caller continues, so a slow detached hook cannot delay it.
      activity.runInBackground(Promise.resolve().then(() => chain.dispatch(final, activity, activity.workingTimeMs())));
    }
    if (!observing.canAnswer) return result;
    const seen = observing.dispatch(final, activity, activity.workingTimeMs());
    return isPromise(seen) ? seen.then(() => result) : result;
  }
}

/** The payload that was used or refused, for the hooks that cannot answer. A withheld result is withheld from them too. */
function finalPayloadOf({ withhold }: HookPoint, payload: unknown, result: DispatchResult): unknown {
  if (result.type === 'passed') return result.payload ?? payload;
  const refused = refusedPayloads.get(result) ?? payload;
  return withhold === undefined ? refused : withhold(refused, withheldText(result));
}
