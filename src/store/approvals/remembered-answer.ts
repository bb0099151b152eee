/**
 * A stored remembered answer, with its signature. Anyone who can write to the store can add a row, but the row counts
 * only for what a trusted key has signed.
 */

import type { ReusableAnswer, RememberDuration } from '../../kernel/approval.ts';
import type { AnswerQuery } from '../../approvals/remember-answers.ts';
import { approvalSubject, rememberBinding, ruleHash } from '../../approvals/signing/approval-digest.ts';
import { answerSignatureProblem } from '../../approvals/signing/signed-answer.ts';
import type { SignedAnswer } from '../../approvals/signing/approval-record.ts';
import type { KeyRing } from '../../approvals/signing/key-ring.ts';

export interface RememberedAnswer {
  readonly kept: ReusableAnswer;
  readonly signed: SignedAnswer;
  /** Milliseconds since 1970. */
  readonly keptAt: number;
  /** When it stops counting; null if it lasts as long as what it is bound to. */
  readonly until: number | null;
}

export type FoundAnswer = ReusableAnswer & { readonly leftMs: number };

/** The allowed clock difference between two machines. */
const skewMs = 60_000;

export interface AnswerLookup {
  readonly query: AnswerQuery;
  readonly keys: KeyRing;
  readonly now: number;
}

/** The answer, if it counts for this call now. */
export function usableAnswer(answer: RememberedAnswer, lookup: AnswerLookup): FoundAnswer | undefined {
  const { kept } = answer;
  const leftMs = timeLeft(answer, lookup.now);
  // A store never contains answers for one turn.
  if (leftMs <= 0 || kept.turn !== undefined) return undefined;
  if (!isSigned(answer, lookup.keys) || !coversCall(answer, lookup)) return undefined;
  return { ...kept, leftMs };
}

/** The shorter of the time in the row and the time that was signed. */
function timeLeft({ keptAt, until, signed }: RememberedAnswer, now: number): number {
  // A row from the future was written with a wrong clock.
  if (keptAt > now + skewMs) return 0;
  const { remember } = signed.answer;
  const byRow = until === null ? Number.POSITIVE_INFINITY : until - now;
  const bySigner = isDuration(remember) ? signed.at + remember.ms + skewMs - now : Number.POSITIVE_INFINITY;
  return Math.min(byRow, bySigner);
}

function isDuration(remember: RememberDuration | undefined): remember is { readonly ms: number } {
  return typeof remember === 'object';
}

/** Whether a trusted key has signed this answer. */
function isSigned({ kept, signed }: RememberedAnswer, keys: KeyRing): boolean {
  const { answer, by, approval, remembers } = signed;
  if (answer.remember === undefined || remembers === undefined) return false;
  const isSame = by === kept.by && approval === kept.approvalId && answer.type === (kept.approved ? 'approve' : 'deny');
  return isSame && answer.remember !== 'turn' && answerSignatureProblem(signed, keys.approverKeys()) === undefined;
}

/** Whether this is exactly the call that was shown, or one that the signed rule covers. */
function coversCall({ kept, signed }: RememberedAnswer, { query, keys }: AnswerLookup): boolean {
  const { rule } = kept;
  if (rule === undefined) return signed.digest === approvalSubject(query.request, keys).digest;
  const accepted = signed.answer.type === 'approve' && signed.answer.rule === true;
  const { group } = rememberBinding(query.request, keys);
  const isSame = signed.remembers?.group === group && signed.remembers.rule === ruleHash(rule, keys);
  return accepted && isSame && query.covers(rule);
}
