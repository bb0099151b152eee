/** Putting one question to a handler or an approver, and reading the answer: only a literal approval approves. */

import type { ApprovalAnswer, ApprovalRequest, Approver, Remember } from '../approval.ts';
import { type Deadlines, timedOut, within } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { anything, optional, Problem, type Reader, record, words } from '../hooks/reading.ts';
import type { JsonValue } from '../json.ts';
import { defaultLimits } from '../limits.ts';
import { isPromise } from '../maybe-promise.ts';
import type { TurnState } from './frame.ts';

export type Answered =
  | { readonly type: 'approved'; readonly by: string; readonly remember: Remember | undefined; readonly args: unknown }
  | { readonly type: 'refused'; readonly by: string; readonly remember: Remember | undefined; readonly reason: string }
  | { readonly type: 'expired' | 'cancelled' };

/** Where and how long a question stands. */
interface Asking {
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  readonly turn: TurnState | undefined;
}

export async function putQuestion(approver: Approver, request: ApprovalRequest, asking: Asking): Promise<Answered> {
  const controller = new AbortController();
  try {
    const given: unknown = approver(request, { signal: controller.signal });
    const answer = isPromise(given) ? await waitFor(given, asking) : given;
    if (answer === timedOut) return { type: 'expired' };
    return answer === cancelled ? { type: 'cancelled' } : readAnswer(answer);
  } catch (error) {
    return refused(`The approver failed: ${messageOf(error)}`);
  } finally {
    // An approver that still shows the question can take it back.
    controller.abort();
  }
}

const cancelled: unique symbol = Symbol('cancelled');

function waitFor(given: PromiseLike<unknown>, { deadlines, timeoutMs, turn }: Asking): Promise<unknown> {
  const answered = within(given, timeoutMs, { deadlines });
  if (turn === undefined) return answered;
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(cancelled);
    turn.onCancel.add(stop);
    if (turn.cancelled) stop();
    answered.then(resolve, reject).finally(() => turn.onCancel.delete(stop));
  });
}

const readRemember: Reader<Remember> = (value) => {
  if (value === 'turn' || value === 'session') return value;
  const { ms } = (value ?? {}) as { ms?: unknown };
  const fine = typeof ms === 'number' && Number.isFinite(ms) && ms > 0;
  return fine ? { ms } : new Problem('is not "turn", "session" or { ms }');
};

const common = { type: anything, remember: optional(readRemember), by: optional(words) };
const readApprove = record<{ type: unknown; args?: unknown; remember?: Remember | undefined; by?: string | undefined }>(
  {
    ...common,
    args: (value) => value,
  },
);
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

function readAnswer(answer: unknown): Answered {
  if (answer === true) return { type: 'approved', by: 'approver', remember: undefined, args: undefined };
  if (answer === false) return refused(noReason);
  const type = typeof answer === 'object' && answer !== null ? (answer as Partial<ApprovalAnswer>).type : undefined;
  if (type === 'approve') {
    const read = readApprove(answer, defaultLimits);
    if (read instanceof Problem) return malformed(read.text);
    return { type: 'approved', by: read.by ?? 'approver', remember: read.remember, args: read.args };
  }
  if (type === 'deny') {
    const read = readDeny(answer, defaultLimits);
    if (read instanceof Problem) return malformed(read.text);
    return { type: 'refused', by: read.by ?? 'approver', remember: read.remember, reason: read.reason ?? noReason };
  }
  return malformed('is neither an approval nor a denial');
}

const malformed = (problem: string): Answered => refused(`The answer ${problem}, so the call is not approved.`);

function refused(reason: string): Answered {
  return { type: 'refused', by: 'approver', remember: undefined, reason };
}

/** What a remembered answer is for: everything about a call that a person saw, and who asked. */
export function bindingOf(request: Omit<ApprovalRequest, 'id' | 'shown' | 'expiresAt'>): string {
  const { call, questions, paths, policyVersion } = request;
  const { session, agent, tool, server, args, cwd } = call;
  const sources = questions.map(({ rule, hook, text }) => rule?.name ?? hook ?? text);
  const resolved: JsonValue = paths.map(({ path, identity }) => [path, identity?.device ?? '', identity?.inode ?? '']);
  return JSON.stringify([session, agent, tool, server ?? null, args, cwd ?? null, policyVersion, sources, resolved]);
}
