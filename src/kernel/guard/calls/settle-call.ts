/** Settles a call after it ran: error hooks, result hooks, the journal record, the result. */

import type { OutcomeType } from '../../call.ts';
import { withheldText } from '../../hooks/dispatch/dispatch-result.ts';
import type { ToolError } from '../../hooks/points/payloads.ts';
import { journalVersion, type SettledEntry } from '../../records/journal-entry.ts';
import { cutText, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { PendingCall } from './pending-call.ts';
import type { SettledResult } from './call-result.ts';
import { type ToolOutcome, boundToolResult } from './run-tool.ts';

interface SettledOutcome {
  readonly type: OutcomeType;
  readonly value: JsonValue;
  readonly error: ToolError | undefined;
}

export type EndedToolOutcome = Exclude<ToolOutcome, { readonly type: 'suspended' }>;

export async function settleCall(
  pending: PendingCall,
  ran: EndedToolOutcome,
  elapsedMs: number,
): Promise<SettledResult> {
  const { call, rule } = pending;
  const handled = handleError(pending, ran);
  const outcome = isPromise(handled) ? await handled : handled;
  const hooked = applyResultHooks(pending, outcome, elapsedMs);
  const final = isPromise(hooked) ? await hooked : hooked;
  const { type, value } = final;
  const error = final.error?.message;
  const original = value === outcome.value ? undefined : outcome.value;
  const { recorder, parts, mask } = pending.session;
  const entry: SettledEntry = {
    v: journalVersion,
    at: parts.clock.wall(),
    session: call.session,
    turn: call.turn,
    step: call.step,
    agent: call.agent,
    policy: parts.policy.version,
    kind: 'settled',
    status: type,
    call: call.id,
    tool: call.tool,
    server: call.server,
    result: value,
    original,
    error,
    elapsedMs,
  };
  const written = recorder.recordResult(mask.maskSecretsOfArgs(call.args, entry));
  if (isPromise(written)) await written;
  pending.emitCall((callInfo) => ({ type: 'tool_settled', ...callInfo, outcome: type, error, elapsedMs }));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { type, call, text, value, isError: type !== 'ok' && type !== 'recovered', elapsedMs, error, rule };
}

/** An error hook may replace an error with a value or a better text. If the hook fails, the error stays. */
function handleError(pending: PendingCall, ran: EndedToolOutcome): MaybePromise<SettledOutcome> {
  if (ran.type === 'ok') return { type: 'ok', value: ran.value, error: undefined };
  const { type } = ran;
  const failed = failure(pending, ran);
  if (type === 'cancelled') return failed;
  const { error } = failed;
  const result = pending.dispatch('onToolError', Object.freeze({ call: pending.call, error }));
  const take = (settled: Awaited<typeof result>): SettledOutcome => {
    if (settled.type !== 'answered') return failed;
    const { action } = settled;
    if (action.type === 'recover') return bounded(pending, { type: 'recovered', value: action.value, error });
    return { type, value: cutText(action.text, pending.limits.reasonLength), error };
  };
  return isPromise(result) ? result.then(take) : take(result);
}

/** If a result hook with `failOpen: false` fails, the result is withheld: a failed redactor must not leak anything. */
function applyResultHooks(
  pending: PendingCall,
  outcome: SettledOutcome,
  elapsedMs: number,
): MaybePromise<SettledOutcome> {
  const { call } = pending;
  if (pending.session.parts.hooks.at('postToolCall').isEmpty) return outcome;
  const { type, error, value } = outcome;
  const payload = Object.freeze({ call, outcome: Object.freeze({ type, error }), result: value, elapsedMs });
  const result = pending.dispatch('postToolCall', payload);
  const take = (settled: Awaited<typeof result>): SettledOutcome => {
    if (settled.type === 'passed')
      return settled.payload === undefined ? outcome : bounded(pending, { ...outcome, value: settled.payload.result });
    return failure(pending, { type: 'error', message: withheldText(settled) });
  };
  return isPromise(result) ? result.then(take) : take(result);
}

/** The value of a hook has the same limits as that of the tool: a hook cannot widen the grant. */
function bounded(pending: PendingCall, outcome: SettledOutcome): SettledOutcome {
  const read = boundToolResult(outcome.value, pending) as EndedToolOutcome;
  return read.type === 'ok' ? { ...outcome, value: read.value } : failure(pending, read);
}

interface Failure {
  readonly type: Exclude<EndedToolOutcome['type'], 'ok'>;
  readonly message: string;
  readonly cause?: unknown;
}

function failure(
  { call, limits }: PendingCall,
  { type, message, cause }: Failure,
): SettledOutcome & { readonly error: ToolError } {
  const { tool, server, id: callId, step } = call;
  const value = cutText(message, limits.reasonLength);
  return { type, value, error: Object.freeze({ message: value, tool, server, callId, step, cause }) };
}
