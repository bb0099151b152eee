/**
 * The only path of a tool call: read, policy, hooks, policy again, ask, policy again, record, run, settle, record.
 * The decided call is the one that runs. A failing step refuses it. Only a `session.listen` listener can throw here.
 */

import type { CallRequest } from '../../call.ts';
import { type ReadCall, readCall } from '../../catalog/read-call.ts';
import { messageOf } from '../../errors.ts';
import { omittedArgs } from '../../hooks/points/events.ts';
import { refusalReasonOf } from '../../hooks/dispatch/dispatch-result.ts';
import { cutText, fitsBytes, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import { type CallOrigin, PendingCall } from './pending-call.ts';
import { obtainApproval } from './obtain-approval.ts';
import { type CallResult, type DeniedResult, deniedResult, invalidResult, type Verdict } from './call-result.ts';
import { failedOutcome, runTool, type ToolHost } from './run-tool.ts';
import { settleCall } from './settle-call.ts';
import { noHooksResult } from '../state/hook-activity.ts';

export async function guardCall(origin: CallOrigin, request: CallRequest, host: ToolHost): Promise<CallResult> {
  origin.session.beginCall();
  try {
    const read = await readRequest(request, origin);
    const pending = new PendingCall(origin, read);
    pending.emitCall((call) => ({ type: 'tool_requested', ...call, args: eventArgs(pending, read.call.requested) }));
    if (read.problem !== undefined) {
      const { reason } = await refuse(pending, { status: 'denied', reason: read.problem });
      return invalidResult(read.call, reason);
    }
    // While the decision was recorded, the turn may have been cancelled or the approval may have expired.
    const refusal = (await decideCall(pending)) ?? pending.lateRefusal();
    const result = await (refusal === undefined ? execute(pending, host) : refuse(pending, refusal));
    reportShadows(pending);
    return result;
  } finally {
    origin.session.endCall();
  }
}

function readRequest(request: CallRequest, { session, turn, tools: catalog }: CallOrigin): MaybePromise<ReadCall> {
  const { limits, deadlines, policy } = session.parts;
  const { id, agent, cwd } = session.info;
  const position = { session: id, agent, cwd, turn: turn.number, step: turn.step };
  return readCall(request, position, { catalog, limits, deadlines, policy });
}

/** Every step before a call runs. Without a refusal it may run, and the journal has recorded this. */
async function decideCall(pending: PendingCall): Promise<Verdict> {
  try {
    return (
      (await pending.decide()) ?? // policy
      (await callHooks(pending)) ?? // hooks, then policy again if a hook changed the args
      (pending.isDecided ? undefined : await obtainApproval(pending)) ?? // ask, then policy again
      (await recordAllowed(pending))
    );
  } catch (error) {
    return { status: 'denied', reason: `The call could not be decided: ${messageOf(error)}` };
  }
}

async function callHooks(pending: PendingCall): Promise<Verdict> {
  const { call, grant } = pending;
  const result = await pending.dispatch('preToolCall', Object.freeze({ call, grant }));
  if (result === noHooksResult) return undefined;
  if (result.type !== 'passed') return { status: 'denied', reason: refusalReasonOf(result), hook: result.hook };
  for (const { question, hook } of result.confirms) {
    pending.addQuestion({ text: question, rule: undefined, hook });
  }
  // While the hooks ran, the files behind a path may have changed.
  pending.inputsUnchanged &&= pending.dependsOnToolOnly;
  return result.payload === undefined ? undefined : pending.changeArgs(result.payload.call.args);
}

async function recordAllowed(pending: PendingCall): Promise<Verdict> {
  const refusal = pending.lateRefusal() ?? pending.toolChangeRefusal();
  if (refusal !== undefined) return refusal;
  pending.hasUnrecordedApproval = false;
  const status = pending.asks.length === 0 ? 'allowed' : 'approved';
  const problem = await pending.recordDecision(pending.journalEntry(status));
  if (problem === undefined) return undefined;
  return { status: 'denied', reason: `The decision could not be recorded, so the call does not run: ${problem}` };
}

async function execute(pending: PendingCall, host: ToolHost): Promise<CallResult> {
  const { rule, call } = pending;
  pending.emitCall((info) => ({ type: 'tool_started', ...info, rule, args: eventArgs(pending, call.args) }));
  const run = runTool(pending, host);
  const outcome = isPromise(run) ? await run : run;
  return 'status' in outcome ? refuse(pending, outcome) : settleCall(pending, outcome);
}

/** Settles a call that another process started but did not finish. It may have had its effect. */
export async function settleInterrupted(origin: CallOrigin, request: CallRequest): Promise<CallResult> {
  const pending = new PendingCall(origin, await readRequest(request, origin));
  return settleCall(pending, failedOutcome(pending, 'interrupted', interrupted));
}

const interrupted =
  'The call was interrupted: the process that ran it ended. It may have taken effect, completely or in part, and was ' +
  'not repeated. Check its effects before you call it again.';

async function refuse(pending: PendingCall, refusal: NonNullable<Verdict>): Promise<DeniedResult> {
  const { call, limits } = pending;
  const { recorder } = pending.session;
  const bounded = { ...refusal, reason: cutText(refusal.reason, limits.reasonLength) };
  const { reason, rule, hook, status } = bounded;
  // An approval followed by a refusal gets its own journal record.
  if (pending.hasUnrecordedApproval) await recorder.recordNote(pending.journalEntry('approved'));
  // A suspended call only waits: it is decided again when the run resumes, so no refusal is recorded or reported.
  if (status === 'suspended') return deniedResult(call, bounded);
  await recorder.recordNote(pending.journalEntry(status === 'cancelled' ? 'denied' : status, bounded));
  pending.emitCall((info) => ({ type: 'tool_denied', ...info, reason, rule, hook }));
  return deniedResult(call, bounded);
}

/** Shadow rules are evaluated after the call, so that they cannot delay it, and are only reported. */
function reportShadows(pending: PendingCall): void {
  const { call, tool } = pending;
  const shadows = pending.session.parts.policy.shadows(call, tool, pending);
  if (shadows.length === 0) return;
  const report = async (): Promise<void> => {
    for (const { rule, matched, would, problem } of await Promise.all(shadows.map((evaluate) => evaluate()))) {
      const detail = { call: call.id, matched, would: would ?? null, problem: problem ?? null, rule: rule.name };
      pending.note('rule_shadowed', detail);
      pending.emitCall((info) => ({ type: 'rule_shadowed', ...info, rule, matched, would, problem }));
    }
  };
  pending.runInBackground(Promise.resolve().then(report));
}

function eventArgs({ limits }: PendingCall, args: JsonValue): JsonValue {
  return fitsBytes(JSON.stringify(args), limits.eventBytes) ? args : omittedArgs;
}
