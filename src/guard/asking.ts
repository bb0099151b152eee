/** Putting one question to a handler or an approver, and reading the answer: only a literal approval approves. */

import type { ApprovalAnswer, ApprovalRequest, Approver, Remember } from '../approval.ts';
import { timedOut, within } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { anything, json, optional, Problem, type Reader, record, words } from '../hooks/reading.ts';
import { cutText, type JsonValue } from '../json.ts';
import type { Limits } from '../limits.ts';
import { isPromise } from '../maybe-promise.ts';
import type { Judge } from '../policy/policy.ts';
import type { LiveFrame } from './frame.ts';
import { cancelled, untilCancelled } from './until-cancelled.ts';

interface Answer {
  readonly by: string;
  readonly remember: Remember | undefined;
}

export type Answered =
  | (Answer & { readonly type: 'approved'; readonly args: JsonValue | undefined })
  | (Answer & { readonly type: 'refused'; readonly reason: string })
  /** What came is no answer: nobody said no, and nobody said yes. */
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'expired' | 'cancelled' };

export async function putQuestion(approver: Approver, request: ApprovalRequest, frame: LiveFrame): Promise<Answered> {
  const controller = new AbortController();
  const started = frame.clock.now();
  try {
    const given: unknown = approver(request, { signal: controller.signal });
    const waiting = isPromise(given) ? untilCancelled(given, frame.turn) : undefined;
    const limit = { deadlines: frame.deadlines };
    const answer = waiting === undefined ? given : await within(waiting, frame.core.parts.askTimeoutMs, limit);
    if (answer === cancelled) return { type: 'cancelled' };
    // An approver that blocks can answer too late as well.
    const late = answer === timedOut || frame.clock.now() - started > frame.core.parts.askTimeoutMs;
    return late ? { type: 'expired' } : readAnswer(answer, frame.limits);
  } catch (error) {
    return { type: 'failed', reason: `The approver failed: ${messageOf(error)}` };
  } finally {
    // An approver that still shows the question can take it back.
    controller.abort();
  }
}

const readRemember: Reader<Remember> = (value) => {
  if (value === 'turn' || value === 'session') return value;
  const { ms } = (value ?? {}) as { ms?: unknown };
  const fine = typeof ms === 'number' && Number.isFinite(ms) && ms > 0;
  return fine ? { ms } : new Problem('is not "turn", "session" or { ms }');
};

const common = { type: anything, remember: optional(readRemember), by: optional(words) };
const readApprove = record<{
  type: unknown;
  args?: JsonValue | undefined;
  remember?: Remember | undefined;
  by?: string | undefined;
}>({
  ...common,
  args: optional(json),
});
const readDeny = record<{
  type: unknown;
  reason?: string | undefined;
  remember?: Remember | undefined;
  by?: string | undefined;
}>({
  ...common,
  reason: optional(words),
});

const noReason = 'The person who was asked said no.';

function readAnswer(answer: unknown, limits: Limits): Answered {
  const nameOf = (by = 'approver'): string => cutText(by, limits.nameLength);
  if (answer === true) return { type: 'approved', by: nameOf(), remember: undefined, args: undefined };
  if (answer === false) return { type: 'refused', by: nameOf(), remember: undefined, reason: noReason };
  const own = typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'type');
  const type = own ? (answer as Partial<ApprovalAnswer>).type : undefined;
  if (type === 'approve') {
    const read = readApprove(answer, limits);
    if (read instanceof Problem) return malformed(read.text);
    return { type: 'approved', by: nameOf(read.by), remember: read.remember, args: read.args };
  }
  if (type === 'deny') {
    const read = readDeny(answer, limits);
    if (read instanceof Problem) return malformed(read.text);
    return { type: 'refused', by: nameOf(read.by), remember: read.remember, reason: read.reason ?? noReason };
  }
  return malformed('is neither an approval nor a denial');
}

function malformed(problem: string): Answered {
  return { type: 'failed', reason: `The answer ${problem}, so the call is not approved.` };
}

/** What a remembered answer is for: everything about a call that a person saw, and who asked. */
export function bindingOf(request: Pick<ApprovalRequest, 'call' | 'questions' | 'paths'>, policy: Judge): string {
  const { call, questions, paths } = request;
  const { session, agent, tool, server, args, cwd } = call;
  const sources = questions.map(({ rule, hook, text }) => [
    rule === undefined ? -1 : policy.orderOf(rule),
    hook ?? null,
    text,
  ]);
  const resolved: JsonValue = paths.map(({ path, identity }) => [path, identity?.device ?? '', identity?.inode ?? '']);
  return JSON.stringify([session, agent, tool, server ?? null, args, cwd ?? null, policy.version, sources, resolved]);
}
