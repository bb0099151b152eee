/**
 * The only path of a tool call: read, policy, hooks, policy again, ask, policy again, record, run, settle, record.
 * The decided call is the one that runs. A failing step refuses it. Only a `session.listen` listener can throw here.
 */

import type { CallRequest, ToolCall } from '../../call.ts';
import { type ReadCall, readCall } from '../../catalog/read-call.ts';
import { messageOf } from '../../errors.ts';
import { omittedArgs } from '../../hooks/points/events.ts';
import type { ActionAt, PointPayloads } from '../../hooks/points/points.ts';
import { type DispatchResult, refusalReasonOf } from '../../hooks/dispatch/dispatch-result.ts';
import { cutText, fitsBytes, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import { type CallOrigin, PendingCall } from './pending-call.ts';
import { obtainApproval } from './obtain-approval.ts';
import { type CallResult, type DeniedResult, deniedResult, invalidResult, type Refusal } from './call-result.ts';
import { checkOverrun, runTool, type ToolHost } from './run-tool.ts';
import { resolvedArgs } from './resolved-args.ts';
import { settleCall } from './settle-call.ts';

type HooksResult = DispatchResult<PointPayloads['preToolCall'], ActionAt<'preToolCall'>>;

export async function guardCall(origin: CallOrigin, request: CallRequest, host: ToolHost): Promise<CallResult> {
  const { session } = origin;
  session.beginCall();
  try {
    return await followPath(origin, request, host);
  } finally {
    session.endCall();
  }
}

async function followPath(origin: CallOrigin, request: CallRequest, host: ToolHost): Promise<CallResult> {
  const reading = readRequest(request, origin);
  const read = isPromise(reading) ? await reading : reading;
  const pending = new PendingCall(origin, read);
  pending.emitCall((call) => ({ type: 'tool_requested', ...call, args: eventArgs(pending, read.call.requested) }));
  if (read.problem !== undefined) {
    const { reason } = await refuse(pending, { status: 'denied', reason: read.problem });
    return invalidResult(read.call, reason);
  }
  // While the decision was recorded, the turn may have been cancelled or the approval may have expired.
  const refusal = (await decideOrDeny(pending)) ?? pending.lateRefusal();
  const result = await (refusal === undefined ? execute(pending, host) : refuse(pending, refusal));
  reportShadows(pending);
  return result;
}

function readRequest(request: CallRequest, { session, turn, tools: catalog }: CallOrigin): MaybePromise<ReadCall> {
  const { limits, deadlines, policy } = session.parts;
  const { id, agent, cwd } = session.info;
  const position = { session: id, agent, cwd, turn: turn.number, step: turn.step };
  return readCall(request, position, { catalog, limits, deadlines, policy });
}

async function decideOrDeny(pending: PendingCall): Promise<Refusal | undefined> {
  try {
    return await decideCall(pending);
  } catch (error) {
    return { status: 'denied', reason: `The call could not be decided: ${messageOf(error)}` };
  }
}

/** Every step before a call runs. Undefined means that it may run and that the journal has recorded this. */
async function decideCall(pending: PendingCall): Promise<Refusal | undefined> {
  const decided = pending.decide(); // policy
  let refusal = isPromise(decided) ? await decided : decided;
  if (refusal !== undefined) return refusal;
  const hooked = callHooks(pending); // hooks, then policy again if a hook changed the args
  refusal = isPromise(hooked) ? await hooked : hooked;
  if (refusal !== undefined) return refusal;
  const consent = obtainApproval(pending); // ask, then policy again
  refusal = isPromise(consent) ? await consent : consent;
  return refusal ?? recordAllowed(pending); // record
}

function callHooks(pending: PendingCall): MaybePromise<Refusal | undefined> {
  const { call, grant } = pending;
  if (pending.session.parts.hooks.at('preToolCall').isEmpty) return undefined;
  const result = pending.dispatch('preToolCall', Object.freeze({ call, grant }));
  return isPromise(result) ? result.then((settled) => applyHooks(pending, settled)) : applyHooks(pending, result);
}

function applyHooks(pending: PendingCall, result: HooksResult): MaybePromise<Refusal | undefined> {
  if (result.type !== 'passed') return { status: 'denied', reason: refusalReasonOf(result), hook: result.hook };
  for (const { question, hook } of result.confirms) {
    pending.addQuestion({ text: question, rule: undefined, hook });
  }
  // While the hooks ran, the files behind a path may have changed.
  pending.inputsUnchanged &&= pending.dependsOnToolOnly;
  return result.payload === undefined ? undefined : pending.changeArgs(result.payload.call.args);
}

function recordAllowed(pending: PendingCall): MaybePromise<Refusal | undefined> {
  const refusal = pending.lateRefusal() ?? pending.toolChangeRefusal();
  if (refusal !== undefined) return refusal;
  pending.hasUnrecordedApproval = false;
  const status = pending.asks.length === 0 ? 'allowed' : 'approved';
  const writeProblem = pending.recordDecision(pending.journalEntry(status));
  return isPromise(writeProblem) ? writeProblem.then(recordingFailed) : recordingFailed(writeProblem);
}

function recordingFailed(writeProblem: string | undefined): Refusal | undefined {
  if (writeProblem === undefined) return undefined;
  return { status: 'denied', reason: `The decision could not be recorded, so the call does not run: ${writeProblem}` };
}

async function execute(pending: PendingCall, host: ToolHost): Promise<CallResult> {
  const { call, paths, clock } = pending;
  pending.emitCall((callInfo) => ({
    type: 'tool_started',
    ...callInfo,
    rule: pending.rule,
    args: eventArgs(pending, call.args),
  }));
  const started = clock.now();
  const running: ToolCall =
    paths.length === 0 ? call : Object.freeze({ ...call, args: resolvedArgs(call.args, paths) });
  const run = { call: running, pending, onLate: (what: string): void => noteLate(pending, what) };
  const toolRun = runTool(host, run);
  const ended = isPromise(toolRun) ? await toolRun : toolRun;
  const elapsedMs = clock.now() - started;
  const outcome = checkOverrun(ended, elapsedMs, run);
  if (outcome.type === 'suspended') return refuse(pending, { status: 'suspended', reason: outcome.message });
  return settleCall(pending, outcome, elapsedMs);
}

/** Settles a call that another process started but did not finish. It may have had its effect. */
export async function settleInterrupted(origin: CallOrigin, request: CallRequest): Promise<CallResult> {
  const pending = new PendingCall(origin, await readRequest(request, origin));
  return settleCall(pending, { type: 'interrupted', message: interrupted, cause: undefined }, 0);
}

const interrupted =
  'The call was interrupted: the process that ran it ended. It may have taken effect, completely or in part, and was ' +
  'not repeated. Check its effects before you call it again.';

async function refuse(pending: PendingCall, refusal: Refusal): Promise<DeniedResult> {
  const { call, limits } = pending;
  const { recorder } = pending.session;
  const bounded = { ...refusal, reason: cutText(refusal.reason, limits.reasonLength) };
  const { reason, rule, hook, status } = bounded;
  // An approval followed by a refusal gets its own journal record.
  if (pending.hasUnrecordedApproval) await recorder.recordNote(pending.journalEntry('approved'));
  // A suspended call only waits: it is decided again when the run resumes, so no refusal is recorded or reported.
  if (status === 'suspended') return deniedResult(call, bounded);
  await recorder.recordNote(pending.journalEntry(status === 'cancelled' ? 'denied' : status, bounded));
  pending.emitCall((callInfo) => ({ type: 'tool_denied', ...callInfo, reason, rule, hook }));
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
      pending.emitCall((callInfo) => ({ type: 'rule_shadowed', ...callInfo, rule, matched, would, problem }));
    }
  };
  pending.runInBackground(Promise.resolve().then(report));
}

function noteLate(pending: PendingCall, what: string): void {
  const { call, limits } = pending;
  const text = cutText(`came after the call had ended: ${what}`, limits.reasonLength);
  pending.note('late_result', { call: call.id, text });
  pending.emitCall((callInfo) => ({ type: 'tool_late', ...callInfo, text }));
}

function eventArgs({ limits }: PendingCall, args: JsonValue): JsonValue {
  return fitsBytes(JSON.stringify(args), limits.eventBytes) ? args : omittedArgs;
}
