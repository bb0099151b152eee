/**
 * The one path of a tool call: read, policy, hooks, policy again, ask, decide anew, record, run, settle, record.
 * What was decided is what runs; a step that fails in any way refuses the call; nothing is thrown at the caller.
 */

import type { CallRequest, ToolCall } from '../../call.ts';
import type { CallPosition } from '../../catalog/read-call.ts';
import { messageOf } from '../../errors.ts';
import type { ActionAt, PointPayloads } from '../../hooks/points/points.ts';
import { type DispatchResult, refusalReasonOf } from '../../hooks/dispatch/dispatch-result.ts';
import { cutText, fitsBytes, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import { PendingCall } from './pending-call.ts';
import { obtainApproval } from './obtain-approval.ts';
import type { SessionActivity } from '../state/session-activity.ts';
import { readRequest } from './read-request.ts';
import { type CallResult, type DeniedResult, deniedResult, invalidResult, type Refusal } from './call-result.ts';
import { checkOverrun, runTool, type ToolHost } from './run-tool.ts';
import { resolvedArgs } from './resolved-args.ts';
import { settleCall } from './settle-call.ts';

type Hooked = DispatchResult<PointPayloads['preToolCall'], ActionAt<'preToolCall'>>;

/** Takes one call along the whole path. */
export async function guardCall(frame: SessionActivity, request: CallRequest, host: ToolHost): Promise<CallResult> {
  frame.core.beginCall();
  try {
    return await walkPath(frame, request, host);
  } finally {
    frame.core.endCall();
  }
}

async function walkPath(frame: SessionActivity, request: CallRequest, host: ToolHost): Promise<CallResult> {
  const reading = readRequest(request, placeOf(frame), frame.core.parts);
  const read = isPromise(reading) ? await reading : reading;
  const item = new PendingCall(frame, read.call, read.tool ?? { name: read.call.tool });
  item.emit((call) => ({ type: 'tool_requested', ...call, args: eventArgs(frame, read.call.requested) }));
  if (read.problem !== undefined) {
    const { reason } = await refuse(item, { status: 'denied', reason: read.problem });
    return invalidResult(read.call, reason);
  }
  // Recording takes time, in which the turn can be cancelled and an approval can expire.
  const refusal = (await admitSafely(item)) ?? item.lapsed();
  const result = await (refusal === undefined ? execute(item, host) : refuse(item, refusal));
  reportShadows(item);
  return result;
}

async function admitSafely(item: PendingCall): Promise<Refusal | undefined> {
  try {
    return await admit(item);
  } catch (error) {
    return { status: 'denied', reason: `The call could not be decided: ${messageOf(error)}` };
  }
}

/** Everything before a call may run. Undefined: it may, and the journal says so. */
async function admit(item: PendingCall): Promise<Refusal | undefined> {
  const decided = item.decide();
  let refusal = isPromise(decided) ? await decided : decided;
  if (refusal !== undefined) return refusal;
  const hooked = callHooks(item);
  refusal = isPromise(hooked) ? await hooked : hooked;
  if (refusal !== undefined) return refusal;
  const consent = obtainApproval(item);
  refusal = isPromise(consent) ? await consent : consent;
  return refusal ?? recordAdmission(item);
}

function callHooks(item: PendingCall): MaybePromise<Refusal | undefined> {
  const { frame, call, grant } = item;
  if (frame.core.parts.hooks.at('preToolCall').isEmpty) return undefined;
  const result = frame.dispatch('preToolCall', Object.freeze({ call, grant }));
  return isPromise(result) ? result.then((settled) => takeHooked(item, settled)) : takeHooked(item, result);
}

function takeHooked(item: PendingCall, result: Hooked): MaybePromise<Refusal | undefined> {
  if (result.type !== 'passed') return { status: 'denied', reason: refusalReasonOf(result), hook: result.hook };
  for (const { question, hook } of result.confirms) {
    item.wantConsent({ text: question, rule: undefined, hook });
  }
  // Hooks took time, in which the files behind a path may have changed.
  item.settled &&= item.isFixed;
  return result.payload === undefined ? undefined : item.changeArgs(result.payload.call.args);
}

function recordAdmission(item: PendingCall): MaybePromise<Refusal | undefined> {
  const refusal = item.lapsed() ?? item.toolChanged();
  if (refusal !== undefined) return refusal;
  item.approvalRecorded = true;
  const status = item.asks.length === 0 ? 'allowed' : 'approved';
  const refused = item.record(item.entry(status));
  return isPromise(refused) ? refused.then(unrecorded) : unrecorded(refused);
}

function unrecorded(refused: string | undefined): Refusal | undefined {
  if (refused === undefined) return undefined;
  return { status: 'denied', reason: `The decision could not be recorded, so the call does not run: ${refused}` };
}

async function execute(item: PendingCall, host: ToolHost): Promise<CallResult> {
  const { frame, call, grant, paths } = item;
  item.emit((facts) => ({
    type: 'tool_started',
    ...facts,
    rule: item.rule,
    args: eventArgs(frame, call.args),
  }));
  const started = frame.clock.now();
  const running: ToolCall =
    paths.length === 0 ? call : Object.freeze({ ...call, args: resolvedArgs(call.args, paths) });
  const order = { call: running, grant, paths, frame, onLate: (what: string): void => noteLate(item, what) };
  const ran = runTool(host, order);
  const ended = isPromise(ran) ? await ran : ran;
  const elapsedMs = frame.clock.now() - started;
  const outcome = checkOverrun(ended, elapsedMs, order);
  if (outcome.type === 'suspended') return refuse(item, { status: 'suspended', reason: outcome.message });
  return settleCall(item, outcome, elapsedMs);
}

/** Settles a call that another process had begun and did not live to end: it may have had its effect. */
export async function settleInterrupted(frame: SessionActivity, request: CallRequest): Promise<CallResult> {
  const read = await readRequest(request, placeOf(frame), frame.core.parts);
  const item = new PendingCall(frame, read.call, read.tool ?? { name: read.call.tool });
  return settleCall(item, { type: 'interrupted', message: interrupted, cause: undefined }, 0);
}

const interrupted =
  'The call was interrupted: the process that ran it ended. It may have had its effect, wholly or in part, and was ' +
  'not repeated. Look at what it left before you call it again.';

function placeOf({ core: { facts }, place }: SessionActivity): CallPosition {
  return { session: facts.id, agent: facts.agent, cwd: facts.cwd, ...place };
}

async function refuse(item: PendingCall, refusal: Refusal): Promise<DeniedResult> {
  const { frame, call } = item;
  const bounded = { ...refusal, reason: cutText(refusal.reason, frame.limits.reasonLength) };
  const { reason, rule, hook, status } = bounded;
  // A yes that was followed by a refusal is a transition of its own.
  if (!item.approvalRecorded) await frame.core.recorder.recordNote(item.entry('approved'));
  // What is still being asked is not refused.
  if (status === 'suspended') return deniedResult(call, bounded);
  await frame.core.recorder.recordNote(item.entry(status === 'cancelled' ? 'denied' : status, bounded));
  item.emit((facts) => ({ type: 'tool_denied', ...facts, reason, rule, hook }));
  return deniedResult(call, bounded);
}

/** Shadow rules are evaluated after the call, so that they cannot cost it any time, and only reported. */
function reportShadows(item: PendingCall): void {
  const { frame, call, tool } = item;
  const { policy } = frame.core.parts;
  if (!policy.hasShadows(call, tool)) return;
  const report = async (): Promise<void> => {
    for (const answer of policy.shadows(call, tool, frame)) {
      const { rule, matched, would, problem } = await answer;
      const detail = { call: call.id, matched, would: would ?? null, problem: problem ?? null, rule: rule.name };
      frame.core.note(frame, 'rule_shadowed', detail);
      item.emit((facts) => ({ type: 'rule_shadowed', ...facts, rule, matched, would, problem }));
    }
  };
  frame.background(Promise.resolve().then(report));
}

function noteLate(item: PendingCall, what: string): void {
  const { frame, call } = item;
  const text = cutText(`came after the call had ended: ${what}`, frame.limits.reasonLength);
  frame.core.note(frame, 'late_result', { call: call.id, text });
  item.emit((facts) => ({ type: 'tool_late', ...facts, text }));
}

function eventArgs({ limits }: SessionActivity, args: JsonValue): JsonValue {
  return fitsBytes(JSON.stringify(args), limits.eventBytes) ? args : '[left out: too large for an event]';
}
