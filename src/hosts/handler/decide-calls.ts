/** Decides the calls of one event of a host. The host runs them, in a process of its own. */

import { createHash } from 'node:crypto';
import type { ApprovalRequest, Approver } from '../../kernel/approval.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { CallResult } from '../../kernel/guard/calls/call-result.ts';
import type { ToolHost } from '../../kernel/guard/calls/run-tool.ts';
import { canonicalText, type JsonObject } from '../../kernel/json.ts';
import { type Journal, journalVersion } from '../../kernel/records/journal-entry.ts';
import { needsSignature } from '../../approvals/signing/signed-answer.ts';
import type { HookAnswer, HostCall, HostEvent, HostRecord } from '../host.ts';
import { hostQuestion, withCause } from '../question-text.ts';
import type { HandlerOptions } from './host-policy.ts';
import { type HostSession, openParts, withFolder, withHostSession } from './host-session.ts';
import { storeQuestions } from './store-questions.ts';
import { withAsked } from './session-state.ts';

/** The result for one call: the host may run it, must ask about it, or must not run it. */
type CallDecision =
  | { readonly type: 'runs'; readonly args: JsonObject; readonly isChanged: boolean }
  | { readonly type: 'asks'; readonly reason: string }
  | { readonly type: 'denied'; readonly reason: string };

type ToolCallEvent = Extract<HostEvent, { readonly type: 'tool-call' }>;

const pass: HookAnswer = { type: 'pass' };

/** All calls of the event must be allowed. */
export async function decideCalls(
  event: ToolCallEvent,
  record: HostRecord,
  options: HandlerOptions,
): Promise<HookAnswer> {
  // A call that was translated to nothing must not look like one that is allowed.
  if (event.calls.length === 0)
    throw new BridleError('PAYLOAD_INVALID', 'the call touches nothing that can be decided');
  const parts = await openParts(event, options);
  const calls = event.calls.map((call) => withFolder(call, event.cwd, parts.policy.place.root));
  const question: Question = { current: undefined };
  const usesPrompt = options.observes || record.ask === 'prompt';
  const stored = noting(question, storeQuestions(parts.store, event, options));
  const approver = usesPrompt ? askElsewhere(question, stored) : stored;
  const work = async (session: HostSession): Promise<readonly CallDecision[]> => {
    // The hooks of the last call have run when a person is asked: other calls of the session need not wait for the answer.
    if (calls.length === 1) question.beforeAsking = session.releaseHooks;
    const decided: CallDecision[] = [];
    for (const call of calls) {
      question.current = undefined;
      const { observes } = options;
      const decision = await decideCall(session, call, { question, usesPrompt, observes, record, cwd: event.cwd });
      decided.push(decision);
      if (options.observes && decision.type !== 'runs') await noteNotEnforced(session, parts.store.journal, call);
      if (!options.observes && decision.type === 'denied') break;
    }
    return decided;
  };
  const decided = await withHostSession(event, options, { ...parts, calls, approver, work });
  return options.observes ? pass : combine(calls, record, decided);
}

/** Records that the call runs although the decision before it does not allow it. */
async function noteNotEnforced({ session, turn }: HostSession, journal: Journal, call: HostCall): Promise<void> {
  await journal.append({
    v: journalVersion,
    at: Date.now(),
    session: session.id,
    turn: turn.number,
    step: turn.step,
    agent: session.info.agent,
    policy: session.parts.policy.version,
    kind: 'noted',
    status: 'not_enforced',
    detail: { call: callId(call) },
  });
}

interface CallContext {
  readonly question: Question;
  /** True if the host's prompt asks, or nobody does. */
  readonly usesPrompt: boolean;
  readonly observes: boolean;
  readonly record: HostRecord;
  /** The folder in which the call starts. */
  readonly cwd: string;
}

/** The last question that the guard asked. */
interface Question {
  current: { readonly id: string; readonly text: string; readonly isStored: boolean } | undefined;
  beforeAsking?: (() => Promise<void>) | undefined;
}

/** The host's prompt asks, except about rules whose answers must be signed. */
function askElsewhere(question: Question, stored: Approver): Approver {
  const ask: Approver = (request, context) => {
    if (needsSignature(request)) return stored(request, context);
    question.current = { id: request.id, text: questionText(request), isStored: false };
    return { type: 'suspend' };
  };
  const earlier: Approver['earlier'] = (request) => (needsSignature(request) ? stored.earlier?.(request) : undefined);
  return Object.assign(ask, { earlier, signed: true });
}

/** Remembers the id of the question, for the instructions that a refusal gives. */
function noting(question: Question, approver: Approver): Approver {
  const ask: Approver = async (request, context) => {
    question.current = { id: request.id, text: questionText(request), isStored: true };
    await question.beforeAsking?.();
    return approver(request, context);
  };
  return Object.assign(ask, { earlier: approver.earlier, memory: approver.memory, signed: approver.signed });
}

function questionText({ questions }: ApprovalRequest): string {
  return joined(questions.map(({ text }) => text));
}

/** Several rules can ask the same. */
function joined(texts: readonly string[]): string {
  const [first = '', ...more] = new Set(texts.map((text) => text.trim()));
  return more.reduce((all, text) => `${all}${/[.?!]$/.test(all) ? '' : ';'} ${text}`, first);
}

/** Runs nothing: a decided call is left to the host. */
export class Releasing implements ToolHost {
  hasReleased = false;

  run(): never {
    this.hasReleased = true;
    throw new BridleError('CALL_SUSPENDED', 'the host runs the call');
  }
}

async function decideCall(
  { turn, states }: HostSession,
  call: HostCall,
  { question, usesPrompt, observes, record, cwd }: CallContext,
): Promise<CallDecision> {
  const id = callId(call);
  const { tool, server, args } = call;
  const host = new Releasing();
  const result = await turn.guard({ id, tool, server, args }, host);
  if (host.hasReleased) {
    const isChanged = canonicalText(result.call.args) !== canonicalText(args);
    return { type: 'runs', args: result.call.args, isChanged };
  }
  const current = question.current && {
    ...question.current,
    text: withCause(hostQuestion(question.current.text, call), call),
  };
  const isSuspended = result.type === 'denied' && result.status === 'suspended';
  if (!isSuspended || !usesPrompt || current === undefined || current.isStored) {
    return { type: 'denied', reason: withCause(refusalText(result, current, record), call) };
  }
  if (canonicalText(result.call.args) !== canonicalText(args)) {
    return {
      type: 'denied',
      reason: 'A hook changed the args of this call, and the prompt would show the original ones.',
    };
  }
  if (!observes) await states.update((state) => withAsked(state, id, { question: current.id, cwd }));
  return { type: 'asks', reason: current.text };
}

function combine(calls: readonly HostCall[], record: HostRecord, decided: readonly CallDecision[]): HookAnswer {
  const denied = decided.find((each) => each.type === 'denied');
  if (denied !== undefined) return { type: 'deny', reason: denied.reason };
  const changed = decided.find((each) => each.type === 'runs' && each.isChanged);
  const asks = decided.filter((each) => each.type === 'asks');
  if (changed?.type === 'runs') {
    const input = calls.length === 1 ? calls[0]?.toInput(changed.args) : undefined;
    if (input !== undefined) return { type: 'rewrite', input };
    return { type: 'deny', reason: `${record.title} cannot run this call with the args that were changed.` };
  }
  if (asks.length > 0) return { type: 'ask', reason: joined(asks.map(({ reason }) => reason)) };
  return pass;
}

function refusalText(result: CallResult, question: Question['current'], record: HostRecord): string {
  if (result.type !== 'denied') return `Denied by Bridle: ${result.text}`;
  const { status, reason, rule } = result;
  if (status === 'suspended' && question !== undefined) {
    const command = `npx bridle approvals approve ${question.id.slice(0, 8)}`;
    const then = `In the folder of the policy, a person can approve it with "${command}". Then make exactly the same call again.`;
    return `This call needs approval, and nobody has answered yet: ${question.text} ${then}${promptNote(record)}`;
  }
  if (reason.startsWith('Denied ')) return `Bridle: ${reason}`;
  const by = rule === undefined ? '' : `, rule "${rule.name}"${rule.at === undefined ? '' : ` (${rule.at})`}`;
  return `Denied by Bridle${by}: ${reason}`;
}

/** People expect the prompt of the host. */
function promptNote({ title, unmeasuredPrompt }: HostRecord): string {
  if (unmeasuredPrompt !== true) return '';
  return ` Bridle was not measured with this version of ${title}, so it does not rely on its prompt.`;
}

/** The id of a call in the journal. A host without ids gives equal calls the same one. */
export function callId({ id, tool, server, args }: HostCall): string {
  if (id !== undefined) return id;
  return createHash('sha256')
    .update(canonicalText([tool, server ?? null, args]))
    .digest('hex')
    .slice(0, 24);
}
