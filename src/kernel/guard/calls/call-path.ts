/**
 * The only path of a tool call: read, policy, hooks, policy again, ask, policy again, record, run, settle, record.
 * The decided call is the one that runs. A failing step refuses it. Only a `session.listen` listener can throw here.
 */

import type { CallRequest } from '../../call.ts';
import { readCall } from '../../catalog/read-call.ts';
import { messageOf } from '../../errors.ts';
import { withheldText } from '../../hooks/dispatch/dispatch-result.ts';
import { omittedArgs } from '../../hooks/points/events.ts';
import type { ToolError } from '../../hooks/points/payloads.ts';
import { cutText, fitsBytes, type JsonValue } from '../../json.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import { journalVersion, type SettledEntry } from '../../records/journal-entry.ts';
import {
  type CallResult,
  type DeniedResult,
  deniedResult,
  invalidResult,
  type SettledResult,
  type Verdict,
} from './call-result.ts';
import { obtainApproval } from './obtain-approval.ts';
import { type CallOrigin, PendingCall } from './pending-call.ts';
import { boundedOutcome, type CallOutcome, failedOutcome, runTool, type ToolHost } from './run-tool.ts';

/** Policy, hooks, questions, record. The first refusal ends these steps. */
const decidingSteps: readonly ((pending: PendingCall) => MaybePromise<Verdict>)[] = [
  (pending) => pending.decide(),
  (pending) => (pending.session.parts.hooks.chains.preToolCall.isEmpty ? undefined : pending.callHooks()),
  (pending) => (pending.isDecided ? undefined : obtainApproval(pending)),
  (pending) => pending.recordAllowed(),
];

export async function guardCall(origin: CallOrigin, request: CallRequest, host: ToolHost): Promise<CallResult> {
  origin.session.beginCall();
  try {
    const reading = readCall(request, origin.position, origin);
    const read = reading instanceof Promise ? await reading : reading;
    const pending = new PendingCall(origin, read);
    pending.emitCall((call) => ({ type: 'tool_requested', ...call, args: eventArgs(pending, read.call.requested) }));
    if (read.problem !== undefined) {
      const { reason } = await refuse(pending, { status: 'denied', reason: read.problem });
      return invalidResult(read.call, reason);
    }
    let refusal: Verdict;
    try {
      for (const step of decidingSteps) {
        const verdict = step(pending);
        refusal = verdict instanceof Promise ? await verdict : verdict;
        if (refusal !== undefined) break;
      }
    } catch (error) {
      refusal = { status: 'denied', reason: `The call could not be decided: ${messageOf(error)}` };
    }
    // While the decision was recorded, the turn may have been cancelled or the approval may have expired.
    refusal ??= pending.lateRefusal();
    if (refusal === undefined) {
      const { rule, call } = pending;
      pending.emitCall((info) => ({ type: 'tool_started', ...info, rule, args: eventArgs(pending, call.args) }));
    }
    const outcome = refusal ?? (await runTool(pending, host));
    const result = await ('status' in outcome ? refuse(pending, outcome) : settleCall(pending, outcome));
    pending.reportShadows();
    return result;
  } finally {
    origin.session.endCall();
  }
}

/** Settles a call after it ran: error hooks, result hooks, the journal record, the result. */
async function settleCall(pending: PendingCall, ran: CallOutcome): Promise<SettledResult> {
  const { call, rule, elapsedMs } = pending;
  const { recorder, mask, parts } = pending.session;
  const { hooks, clock, policy } = parts;
  const { error } = ran;
  const outcome = error === undefined || ran.type === 'cancelled' ? ran : await handleError(pending, ran, error);
  const final = hooks.chains.postToolCall.isEmpty ? outcome : await applyResultHooks(pending, outcome);
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
  const recorded = recorder.recordResult(mask.maskSecretsOfArgs(call.args, entry));
  if (recorded instanceof Promise) await recorded;
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

/** Settles a call that ran in another process, with the outcome that is known about it; a failure is a text. */
export async function settleReported(
  origin: CallOrigin,
  request: CallRequest,
  { type, value }: Pick<CallOutcome, 'type' | 'value'>,
): Promise<CallResult> {
  const pending = new PendingCall(origin, await readCall(request, origin.position, origin));
  const failed = type === 'ok' ? undefined : failedOutcome(pending, type, value as string);
  return settleCall(pending, failed ?? boundedOutcome(pending, value));
}

async function refuse(pending: PendingCall, refusal: NonNullable<Verdict>): Promise<DeniedResult> {
  const { call, limits, session } = pending;
  const bounded = { ...refusal, reason: cutText(refusal.reason, limits.reasonLength) };
  const { reason, rule, hook, status } = bounded;
  // An approval followed by a refusal gets its own journal record.
  if (pending.hasUnrecordedApproval) await session.recorder.recordNote(pending.journalEntry('approved'));
  // A suspended call only waits: it is decided again when the run resumes, so no refusal is recorded or reported.
  if (status === 'suspended') return deniedResult(call, bounded);
  await session.recorder.recordNote(pending.journalEntry(status === 'cancelled' ? 'denied' : status, bounded));
  pending.emitCall((info) => ({ type: 'tool_denied', ...info, reason, rule, hook }));
  return deniedResult(call, bounded);
}

function eventArgs({ limits }: PendingCall, args: JsonValue): JsonValue {
  return fitsBytes(JSON.stringify(args), limits.eventBytes) ? args : omittedArgs;
}
