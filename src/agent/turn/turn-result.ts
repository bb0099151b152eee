/** The result of a turn, with an entry for each of its tool calls. */

import type { TurnCall, TurnOutput, RequestedCall } from '../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { CallResult } from '../../kernel/guard/calls/call-result.ts';
import type { Mask } from '../../kernel/approval.ts';

/**
 * Why a turn ended. `budget:…` names the limit that was reached. If the model fails, there is no result: the turn
 * throws, unless an `onTurnError` hook replaces the error.
 */
export type StopReason =
  | 'end'
  | 'finished'
  | 'cancelled'
  | 'rejected'
  | 'max_steps'
  | 'length'
  | 'content_filter'
  | 'schema_mismatch'
  /** Only in runs: the turn waits for an approval, or the run was released. It can be resumed. */
  | 'waiting'
  | `budget:${string}`;

export interface TurnResult<Data = JsonValue> extends TurnOutput {
  /** The tool calls of the turn, in the order in which they ended, each with its outcome. Secrets are masked. */
  readonly toolCalls: readonly TurnCall[];
  /** The number of the turn in its session. */
  readonly turn: number;
  /** The parsed answer, if a schema was requested and the answer matches it. */
  readonly data: Data | undefined;
  /** Why the answer does not match the schema, if it does not. */
  readonly problem: string | undefined;
  /** In US dollars; undefined if a price is unknown. */
  readonly cost: number | undefined;
}

/** Why and with which text a turn was stopped before its loop ended. */
export interface TurnStop {
  readonly stopReason: StopReason;
  readonly text: string;
}

/** The entry of `toolCalls` for a call that has a result. */
export function settledCallOf(result: CallResult, mask: Mask | undefined): TurnCall {
  const { id, tool, server, step, requested, args } = result.call;
  const reason = 'reason' in result ? result.reason : result.error;
  const call: TurnCall = {
    id,
    tool,
    server,
    step,
    requested,
    args,
    outcome: result.type,
    status: result.type === 'denied' ? result.status : undefined,
    reason,
    rule: 'rule' in result ? result.rule?.name : undefined,
    hook: 'hook' in result ? result.hook : undefined,
    elapsedMs: 'elapsedMs' in result ? result.elapsedMs : undefined,
  };
  return maskCall(call, mask);
}

/** The entry for a call that the model requested but that did not run. */
export function notRunCallOf(
  { id, tool, server, args }: RequestedCall,
  { step, reason }: Pick<TurnCall, 'step' | 'reason'>,
  mask: Mask | undefined,
): TurnCall {
  const none = { status: undefined, rule: undefined, hook: undefined, elapsedMs: undefined };
  return maskCall({ id, tool, server, step, requested: args, args, outcome: 'not_run', reason, ...none }, mask);
}

function maskCall(call: TurnCall, mask: Mask | undefined): TurnCall {
  try {
    return Object.freeze(mask === undefined ? call : mask(call));
  } catch {
    // If masking fails, nothing is shown.
    return Object.freeze({ ...call, requested: null, args: null, reason: 'Left out because masking failed.' });
  }
}
