/** Asks a handler or an approver about one call and reads the answer. Only an explicit, well-formed approval approves. */

import type { AnswerPlace, ApprovalAnswer, ApprovalRequest, Approver, RememberDuration } from '../../approval.ts';
import { timedOut } from '../../deadlines.ts';
import { messageOf } from '../../errors.ts';
import * as is from '../../shapes.ts';
import { Invalid, invalid, type Shape } from '../../shapes.ts';
import { cutText, type JsonValue } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import { isPromise } from '../../maybe-promise.ts';
import { cancelled, type HookActivity } from '../state/hook-activity.ts';
import type { Refusal, Verdict } from './call-result.ts';

/** What an approver answered. Only an answer of a person, approved or refused, has more than a refusal. */
export interface ApproverAnswer extends Partial<Omit<ReadAnswer, 'type' | 'reason'>> {
  readonly refusal: Verdict;
}

export async function askApprover(
  approver: Approver,
  request: ApprovalRequest,
  activity: HookActivity,
): Promise<ApproverAnswer> {
  const controller = new AbortController();
  const started = activity.clock.now();
  try {
    const given: unknown = approver(request, { signal: controller.signal });
    const answer = isPromise(given) ? await activity.waitForPerson(given) : given;
    if (answer === cancelled) return refusal('cancelled', 'The turn was cancelled while waiting for approval');
    // An approver that blocks the event loop can also answer too late.
    const late = answer === timedOut || activity.clock.now() - started > activity.session.parts.askTimeoutMs;
    return late ? expired : readAnswer(answer, activity.limits);
  } catch (error) {
    return refusal('denied', `The approver failed: ${messageOf(error)}`);
  } finally {
    // Lets an approver that still shows the question withdraw it.
    controller.abort();
  }
}

function refusal(status: Refusal['status'], reason: string): ApproverAnswer {
  return { refusal: { status, reason } };
}

const expired = refusal('expired', 'Nobody answered within the time limit; the question has expired');

const readRemember: Shape<RememberDuration> = (value) => {
  if (value === 'turn' || value === 'session') return value;
  const { ms } = (value ?? {}) as { ms?: unknown };
  const fine = typeof ms === 'number' && Number.isFinite(ms) && ms > 0;
  return fine ? { ms } : invalid('is not "turn", "session" or { ms }');
};

interface ReadAnswer {
  readonly type: unknown;
  readonly args?: JsonValue | undefined;
  readonly reason?: string | undefined;
  readonly remember?: RememberDuration | undefined;
  readonly rule?: boolean | undefined;
  readonly by?: string | undefined;
  readonly place?: AnswerPlace | undefined;
  readonly ageMs?: number | undefined;
}

const common = {
  type: is.any,
  remember: is.optional(readRemember),
  by: is.optional(is.nonEmptyText),
  place: is.optional(is.oneOf('host', 'framework')),
};
const readers = {
  approve: is.record<ReadAnswer>({
    ...common,
    args: is.optional(is.json),
    rule: is.optional(is.flag),
    ageMs: is.optional(is.count),
    reason: is.absent,
  }),
  deny: is.record<ReadAnswer>({
    ...common,
    reason: is.optional(is.nonEmptyText),
    args: is.absent,
    rule: is.absent,
    ageMs: is.absent,
  }),
};

function readAnswer(given: unknown, limits: Limits): ApproverAnswer {
  const answer = typeof given === 'boolean' ? { type: given ? 'approve' : 'deny' } : given;
  const own = typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'type');
  const type = own ? (answer as Partial<ApprovalAnswer>).type : undefined;
  if (type === 'expire') return expired;
  if (type === 'suspend') return refusal('suspended', 'The call is waiting for approval');
  if (type !== 'approve' && type !== 'deny') return malformed('the answer is not an approval or a denial');
  const read = readers[type](answer, limits);
  if (read instanceof Invalid) return malformed(read.textAbout('the answer'));
  const { reason = 'The approver denied the call.', by = 'approver', ...rest } = read;
  return {
    ...rest,
    by: cutText(by, limits.nameLength),
    refusal: type === 'deny' ? { status: 'refused', reason } : undefined,
  };
}

function malformed(problem: string): ApproverAnswer {
  return refusal('denied', `The call is not approved: ${problem}.`);
}
