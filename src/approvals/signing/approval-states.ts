/** The states of an approval and the allowed transitions. */

import type { ApprovalRecord, ApprovalState, SignedAnswer } from './approval-record.ts';

const successors: Readonly<Record<ApprovalState, readonly ApprovalState[]>> = {
  pending: ['approved', 'denied', 'expired', 'cancelled', 'void'],
  approved: ['used', 'void', 'expired'],
  denied: [],
  expired: [],
  cancelled: [],
  void: [],
  used: [],
};

export function isApprovalState(state: unknown): state is ApprovalState {
  return typeof state === 'string' && Object.hasOwn(successors, state);
}

export function mayFollow(from: ApprovalState, to: ApprovalState): boolean {
  return isApprovalState(from) && successors[from].includes(to);
}

/** A change of state, with the answer that caused it. */
export interface ApprovalChange {
  readonly to: ApprovalState;
  readonly by: string;
  readonly at: number;
  readonly answer?: SignedAnswer | undefined;
}

/** The record after an allowed change. */
export function changeApproval(record: ApprovalRecord, { to, by, at, answer }: ApprovalChange): ApprovalRecord {
  const changes = [...record.changes, { state: to, at, by }];
  return { ...record, state: to, answer: answer ?? record.answer, changes };
}

/** Turns an answer that comes too late into an expiry. */
export function expireIfLate(record: ApprovalRecord, change: ApprovalChange): ApprovalChange {
  const isLate = record.state === 'pending' && change.at >= record.expiresAt;
  const isAnswer = change.to === 'approved' || change.to === 'denied';
  return isLate && isAnswer ? { to: 'expired', by: 'bridle', at: change.at } : change;
}
