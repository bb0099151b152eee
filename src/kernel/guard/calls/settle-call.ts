/** Settles a call after it ran: error hooks, result hooks, the journal record, the result. */

import { withheldText } from '../../hooks/dispatch/dispatch-result.ts';
import type { ToolError } from '../../hooks/points/payloads.ts';
import { journalVersion, type SettledEntry } from '../../records/journal-entry.ts';
import { cutText } from '../../json.ts';
import type { PendingCall } from './pending-call.ts';
import type { SettledResult } from './call-result.ts';
import { type CallOutcome, failedOutcome, boundedOutcome } from './run-tool.ts';

export async function settleCall(pending: PendingCall, ran: CallOutcome): Promise<SettledResult> {
  const { call, rule, elapsedMs } = pending;
  const { recorder, mask, parts } = pending.session;
  const { hooks, clock, policy } = parts;
  const { error } = ran;
  const outcome = error === undefined || ran.type === 'cancelled' ? ran : await handleError(pending, ran, error);
  const final = hooks.at('postToolCall').isEmpty ? outcome : await applyResultHooks(pending, outcome);
  const { type, value } = final;
  const message = final.error?.message;
  const entry: SettledEntry = {
    v: journalVersion,
    at: clock.wall(),
    session: call.session,
    turn: call.turn,
    step: call.step,
    agent: call.agent,
    policy: policy.version,
    kind: 'settled',
    status: type,
    call: call.id,
    tool: call.tool,
    server: call.server,
    result: value,
    original: value === outcome.value ? undefined : outcome.value,
    error: message,
    elapsedMs,
  };
  await recorder.recordResult(mask.maskSecretsOfArgs(call.args, entry));
  pending.emitCall((info) => ({ type: 'tool_settled', ...info, outcome: type, error: message, elapsedMs }));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isError = type !== 'ok' && type !== 'recovered';
  return { type, call, text, value, isError, elapsedMs, error: message, rule };
}

/** An error hook may replace an error with a value or a better text. If the hook fails, the error stays. */
async function handleError(pending: PendingCall, failed: CallOutcome, error: ToolError): Promise<CallOutcome> {
  const result = await pending.dispatch('onToolError', Object.freeze({ call: pending.call, error }));
  if (result.type !== 'answered') return failed;
  const { action } = result;
  if (action.type === 'recover') return bounded(pending, { type: 'recovered', value: action.value, error });
  return { ...failed, value: cutText(action.text, pending.limits.reasonLength) };
}

/** If a result hook with `failOpen: false` fails, the result is withheld: a failed redactor must not leak anything. */
async function applyResultHooks(pending: PendingCall, outcome: CallOutcome): Promise<CallOutcome> {
  const { call, elapsedMs } = pending;
  const { type, error, value } = outcome;
  const payload = Object.freeze({ call, outcome: Object.freeze({ type, error }), result: value, elapsedMs });
  const result = await pending.dispatch('postToolCall', payload);
  if (result.type !== 'passed') return failedOutcome(pending, 'error', withheldText(result));
  return result.payload === undefined ? outcome : bounded(pending, { ...outcome, value: result.payload.result });
}

/** The value of a hook has the same limits as that of the tool: a hook cannot widen the grant. */
function bounded(pending: PendingCall, outcome: CallOutcome): CallOutcome {
  const read = boundedOutcome(pending, outcome.value);
  return read.type === 'ok' ? { ...outcome, value: read.value } : read;
}
