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

interface Answer {
  readonly by: string;
  readonly remember: RememberDuration | undefined;
  readonly place: AnswerPlace | undefined;
}

export type ApproverResult =
  | (Answer & {
      readonly status: 'approved';
      readonly args: JsonValue | undefined;
      readonly acceptsProposal: boolean;
      readonly ageMs: number;
    })
  | (Answer & { readonly status: 'refused'; readonly reason: string })
  | { readonly status: 'denied' | 'expired' | 'cancelled' | 'suspended'; readonly reason: string };

export async function askApprover(
  approver: Approver,
  request: ApprovalRequest,
  activity: HookActivity,
): Promise<ApproverResult> {
  const controller = new AbortController();
  const started = activity.clock.now();
  try {
    const given: unknown = approver(request, { signal: controller.signal });
    const answer = isPromise(given) ? await activity.waitForPerson(given) : given;
    if (answer === cancelled)
      return { status: 'cancelled', reason: 'The turn was cancelled while waiting for approval' };
    // An approver that blocks the event loop can also answer too late.
    const late = answer === timedOut || activity.clock.now() - started > activity.session.parts.askTimeoutMs;
    return late ? expired : readAnswer(answer, activity.limits);
  } catch (error) {
    return { status: 'denied', reason: `The approver failed: ${messageOf(error)}` };
  } finally {
    // Lets an approver that still shows the question withdraw it.
    controller.abort();
  }
}

const expired: ApproverResult = {
  status: 'expired',
  reason: 'Nobody answered within the time limit; the question has expired',
};

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
  place: is.optional(is.oneOf('host')),
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

function readAnswer(given: unknown, limits: Limits): ApproverResult {
  const answer = typeof given === 'boolean' ? { type: given ? 'approve' : 'deny' } : given;
  const own = typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'type');
  const type = own ? (answer as Partial<ApprovalAnswer>).type : undefined;
  if (type === 'expire') return expired;
  if (type === 'suspend') return { status: 'suspended', reason: 'The call is waiting for approval' };
  if (type !== 'approve' && type !== 'deny') return malformed('the answer is not an approval or a denial');
  const read = readers[type](answer, limits);
  if (read instanceof Invalid) return malformed(read.textAbout('the answer'));
  const { by = 'approver', remember, args, rule = false, reason = 'The approver denied the call.' } = read;
  const answered = { by: cutText(by, limits.nameLength), remember, place: read.place };
  if (type === 'deny') return { status: 'refused', ...answered, reason };
  return { status: 'approved', ...answered, args, acceptsProposal: rule, ageMs: read.ageMs ?? 0 };
}

function malformed(problem: string): ApproverResult {
  return { status: 'denied', reason: `The call is not approved: ${problem}.` };
}
