/**
 * A remembered answer as it is kept, with the signature that makes it somebody's. Whoever can write into the store can
 * make a row, but not one that counts: what it counts for must be what a trusted key has signed.
 */

import type { AnswerQuery, ReusableAnswer, RememberDuration } from '../../kernel/approval.ts';
import { approvalDigest, rememberBinding, ruleHash } from '../../approvals/signing/approval-digest.ts';
import { answerSignatureProblem } from '../../approvals/signing/answer-problem.ts';
import type { SignedAnswer } from '../../approvals/signing/approval-record.ts';
import type { KeyRing } from '../../approvals/signing/key-ring.ts';

export interface RememberedAnswer {
  readonly kept: ReusableAnswer;
  readonly signed: SignedAnswer;
  /** Milliseconds since 1970. */
  readonly keptAt: number;
  /** When it stops counting; null for one that lasts as long as what it is bound to. */
  readonly until: number | null;
}

export type FoundAnswer = ReusableAnswer & { readonly leftMs: number };

/** How far the clocks of two machines may be apart. */
const skewMs = 60_000;

export interface AnswerLookup {
  readonly query: AnswerQuery;
  readonly keys: KeyRing;
  readonly now: number;
}

/** The answer if it counts for a call now. */
export function usableAnswer(answer: RememberedAnswer, lookup: AnswerLookup): FoundAnswer | undefined {
  const { kept } = answer;
  const leftMs = timeLeft(answer, lookup.now);
  // Answers for a turn are none that a store keeps.
  if (leftMs <= 0 || kept.turn !== undefined) return undefined;
  if (!isSigned(answer, lookup.keys) || !coversCall(answer, lookup)) return undefined;
  return { ...kept, leftMs };
}

/** Neither what the row says nor what was signed lets it live longer than the other. */
function timeLeft({ keptAt, until, signed }: RememberedAnswer, now: number): number {
  // What was kept in the future was kept by a clock that is not to be trusted.
  if (keptAt > now + skewMs) return 0;
  const { remember } = signed.answer;
  const byRow = until === null ? Number.POSITIVE_INFINITY : until - now;
  const bySigner = isDuration(remember) ? signed.at + remember.ms + skewMs - now : Number.POSITIVE_INFINITY;
  return Math.min(byRow, bySigner);
}

function isDuration(remember: RememberDuration | undefined): remember is { readonly ms: number } {
  return typeof remember === 'object';
}

/** Whether this is what somebody said who may. */
function isSigned({ kept, signed }: RememberedAnswer, keys: KeyRing): boolean {
  const { answer, by, approval, remembers } = signed;
  if (answer.remember === undefined || remembers === undefined) return false;
  const isSame = by === kept.by && approval === kept.approvalId && answer.type === (kept.approved ? 'approve' : 'deny');
  return isSame && answer.remember !== 'turn' && answerSignatureProblem(signed, keys.approverKeys()) === undefined;
}

/** Exactly the call that was shown; or one that the rule covers, which was shown with it. */
function coversCall({ kept, signed }: RememberedAnswer, { query, keys }: AnswerLookup): boolean {
  const { rule } = kept;
  if (rule === undefined) return signed.digest === approvalDigest(query.request, keys);
  const accepted = signed.answer.type === 'approve' && signed.answer.rule === true;
  const { group } = rememberBinding(query.request, keys);
  const isSame = signed.remembers?.group === group && signed.remembers.rule === ruleHash(rule, keys);
  return accepted && isSame && query.covers(rule);
}
