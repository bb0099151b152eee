/** The types of dispatch: a hook at a point, the point, the result, and whether a failure ends the operation. */

import type { JsonObject } from '../../json.ts';
import type { AcceptedActions } from '../points/action-kinds.ts';
import type { Activity } from '../points/hook-context.ts';
import type { FailureKind } from '../points/events.ts';
import type { PointName } from '../points/points.ts';

export interface HookEntry {
  readonly hook: string;
  readonly self: object;
  readonly method: (payload: unknown, ctx: Activity['hookContext']) => unknown;
  readonly limitMs: number;
  readonly failOpen: boolean | undefined;
  readonly gate: boolean;
}

export interface HookPoint extends AcceptedActions {
  readonly name: PointName;
  readonly gate: boolean;
  readonly withhold: ((payload: unknown, message: string) => unknown) | undefined;
  readonly write: (payload: unknown, value: unknown) => unknown;
  readonly copyForHook: ((payload: unknown) => unknown) | undefined;
}

/** The result of calling the hooks of a point. */
export type DispatchResult<Payload = unknown, Action = unknown> =
  | {
      readonly type: 'passed';
      /** The payload after every change; undefined if nothing changed it. */
      readonly payload: Payload | undefined;
      readonly confirms: readonly Confirmation[];
      /** The hints of all hooks, merged. */
      readonly hint: JsonObject | undefined;
    }
  | { readonly type: 'rejected'; readonly reason: string; readonly hook: string }
  | { readonly type: 'answered'; readonly action: Action; readonly hook: string }
  /** A hook with `failOpen: false` failed at a point that is not a gate. */
  | { readonly type: 'failed'; readonly reason: string; readonly hook: string };

export interface Confirmation {
  readonly question: string;
  readonly hook: string;
}

/** The hooks changed, asked and refused nothing. */
export const unchangedResult = Object.freeze({
  type: 'passed',
  payload: undefined,
  confirms: Object.freeze([]),
  hint: undefined,
}) satisfies DispatchResult;

/** The refused payload, if hooks had changed it before the refusal. Observing hooks get it. */
export const refusedPayloads = new WeakMap<DispatchResult, unknown>();

/** The reason of a result that refuses the operation. */
export function refusalReasonOf(result: Exclude<DispatchResult, { type: 'passed' }>): string {
  return 'reason' in result ? result.reason : `Hook "${result.hook}" gave an answer that this point does not accept`;
}

/** The text that replaces a withheld result. It omits the message of a failed hook, which may quote what it should hide. */
export function withheldText(result: Exclude<DispatchResult, { type: 'passed' }>): string {
  const why = result.type === 'rejected' ? `rejected it: ${result.reason}` : 'failed.';
  return `The result is withheld: hook "${result.hook}" ${why}`;
}

/** True if this failure of this hook ends the operation. */
export function endsOperation(point: HookPoint, entry: HookEntry, kind: FailureKind): boolean {
  if (kind === 'malformed') return point.gate || entry.failOpen === false;
  return entry.failOpen === undefined ? point.gate : !entry.failOpen;
}

export function failureResult(point: HookPoint, hook: string, message: string): DispatchResult {
  const reason = `Hook "${hook}" failed at ${point.name}: ${message}`;
  return { type: point.gate ? 'rejected' : 'failed', reason, hook };
}

/** Advice for a hook that reached its time limit. */
export function limitAdvice({ actions, observing }: HookPoint): string {
  if (observing) return 'for slow work, set `timeoutMs`';
  const ways = Object.hasOwn(actions, 'confirm')
    ? '`ctx.ask(questions)` or `confirm(question)`'
    : '`ctx.ask(questions)`';
  return `to wait for a person, use ${ways}, which the limit does not count; for slow work, set \`timeoutMs\``;
}

/** Reports hooks that were timed together and took too long. They are alike, so the outcome does not depend on which one. */
export function reportOverrun(
  point: HookPoint,
  entries: readonly HookEntry[],
  { activity, tookMs }: { readonly activity: Activity; readonly tookMs: number },
): DispatchResult | undefined {
  const hook = entries.map((entry) => entry.hook).join(', ');
  const [first] = entries as readonly [HookEntry];
  const message = `took ${Math.round(tookMs)} ms, limit ${first.limitMs} ms; ${limitAdvice(point)}`;
  activity.reportFailure({ hook, kind: 'timeout', message, point: point.name });
  return endsOperation(point, first, 'timeout') ? failureResult(point, hook, message) : undefined;
}
