/** The result of a guarded call: always a value, never an exception. */

import type { OutcomeType, RuleRef, ToolCall } from '../../call.ts';
import type { JsonValue } from '../../json.ts';

interface ResultBase {
  readonly call: ToolCall;
  /** The result for the model, as text. */
  readonly text: string;
  /** The result for the model, as data. */
  readonly value: JsonValue;
  /** True if the model should treat it as an error. */
  readonly isError: boolean;
}

/**
 * Why a call does not run. `refused`: a person said no. `expired`: no answer within the time limit, or the approval is too
 * old. `cancelled`: the turn was cancelled. `suspended`: it waits for an answer. `denied`: any other reason.
 */
export interface Refusal {
  readonly status: 'denied' | 'refused' | 'expired' | 'cancelled' | 'suspended';
  readonly reason: string;
  readonly rule?: RuleRef | undefined;
  readonly hook?: string | undefined;
}

/** What the guard concludes about a call, after policy, hooks and approval: a refusal, or nothing if it may run. */
export type Verdict = Refusal | undefined;

/** A call that did not run, for the reason in `status`. Only a `suspended` call may have started. */
export interface DeniedResult extends ResultBase {
  readonly type: 'denied';
  readonly status: Refusal['status'];
  readonly reason: string;
  readonly rule: RuleRef | undefined;
  readonly hook: string | undefined;
}

/** An invalid call: unknown tool, or args that do not match the schema. */
export interface InvalidResult extends ResultBase {
  readonly type: 'invalid';
  readonly reason: string;
}

/** A call that was allowed and ended. It may have been `interrupted`, or `cancelled` before its tool ran. */
export interface SettledResult extends ResultBase {
  readonly type: OutcomeType;
  readonly elapsedMs: number;
  /** What went wrong, even if a hook recovered from it. */
  readonly error: string | undefined;
  /** The rule that allowed it; undefined if the default did. */
  readonly rule: RuleRef | undefined;
}

export type CallResult = DeniedResult | InvalidResult | SettledResult;

export function deniedResult(call: ToolCall, refusal: Refusal): DeniedResult {
  const { status, reason, rule, hook } = refusal;
  const hasPlace = rule?.at === undefined || reason.includes(`(${rule.at})`);
  const text = hasPlace ? reason : `${reason} [${rule.at}]`;
  return { type: 'denied', call, text, value: text, isError: true, status, reason, rule, hook };
}

export function invalidResult(call: ToolCall, reason: string): InvalidResult {
  return { type: 'invalid', call, text: reason, value: reason, isError: true, reason };
}
