/** A stored approval: the exact call, what was shown, who may answer, its state, and how that may change. */

import type { ApprovalAnswer, RememberDuration, ShownCall } from '../../kernel/approval.ts';
import type { ApprovalId } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** `void`: the approved call is no longer the one that would run. `used`: its one execution has started. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'void' | 'used';

/** Identifies a process, even if its pid is reused later. */
export interface ProcessIdentity {
  /** The name of its machine, for display. */
  readonly host: string;
  /** The boot id and PID namespace in which `pid` is unique. Machine names can collide. */
  readonly realm: string;
  readonly pid: number;
  /** When it started, as a growing number; empty if the system does not report it. */
  readonly started: string;
}

/** A process with its ancestors, nearest first, as far as the system reports them. */
export interface ProcessOrigin extends ProcessIdentity {
  readonly parents: readonly Pick<ProcessIdentity, 'pid' | 'started'>[];
}

/** What a remembered answer is bound to, as hashes keyed with the store's secret. */
export interface RememberBinding {
  /**
   * Everything a rule does not leave open: session, agent, tool, server, folder, policy, and the asking rule or hook.
   */
  readonly group: string;
  /** The proposed rule, if there is one. */
  readonly rule: string | undefined;
  readonly turn: number;
}

export interface AskedQuestion {
  readonly text: string;
  readonly rule?: string | undefined;
  readonly hook?: string | undefined;
}

/** The question: the part of a record that never changes. */
export interface ApprovalDraft {
  readonly id: ApprovalId;
  /** SHA-256 of everything the answer approves: the call, policy, questions, proposal, and what is shown. */
  readonly digest: string;
  /** The call alone: session, agent, tool, server, args, folder, paths. Keyed, so masked args cannot be guessed. */
  readonly callDigest: string;
  readonly session: string;
  readonly agent: readonly string[];
  /** The call within the session: turn, step and id. */
  readonly call: string;
  readonly run: string | undefined;
  readonly tool: string;
  readonly server: string | undefined;
  /** With secrets masked, like `shown`. */
  readonly args: JsonObject;
  readonly shown: ShownCall;
  readonly questions: readonly AskedQuestion[];
  /** The rule that would be remembered if the person approves more than this call, as text. */
  readonly proposal: string | undefined;
  readonly remembers: RememberBinding;
  readonly policyVersion: string;
  /** Names of the people who may answer. Default: every approver the asking process trusts. */
  readonly answerers: readonly string[] | undefined;
  readonly asker: ProcessIdentity;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The answer of a person. */
export type ApproverAnswer =
  | {
      readonly type: 'approve';
      readonly args?: JsonObject | undefined;
      readonly remember?: RememberDuration | undefined;
      /** Accepts the proposal: the rule is remembered, not only these args. */
      readonly rule?: boolean | undefined;
    }
  | { readonly type: 'deny'; readonly reason?: string | undefined; readonly remember?: RememberDuration | undefined };

/** An answer with who gave it, when and from where, signed with that person's key. */
export interface SignedAnswer {
  readonly answer: ApproverAnswer;
  readonly approval: ApprovalId;
  readonly digest: string;
  readonly by: string;
  readonly at: number;
  readonly from: ProcessOrigin;
  /** Set if it was given through the approver that the process in `from` opened. Only that process can verify it. */
  readonly host?: string | undefined;
  /** Copied from the record if the answer is to be remembered. */
  readonly remembers?: RememberBinding | undefined;
  /** The fingerprint of the public key. */
  readonly key: string;
  readonly signature: string;
}

/** Why a question is withdrawn from an approver: the reason of the aborted signal if somebody else answered first. */
export class AnsweredElsewhere {
  constructor(
    readonly by: string,
    readonly approved: boolean,
  ) {}

  /** Undefined if nobody answered. */
  static from(answer: ApprovalAnswer): AnsweredElsewhere | undefined {
    if (answer.type !== 'approve' && answer.type !== 'deny') return undefined;
    return new AnsweredElsewhere(answer.by ?? 'approver', answer.type === 'approve');
  }
}

export interface StateChange {
  readonly state: ApprovalState;
  readonly at: number;
  readonly by: string;
}

export interface ApprovalRecord extends ApprovalDraft {
  readonly state: ApprovalState;
  readonly answer: SignedAnswer | undefined;
  /** Every state so far, including the first. */
  readonly changes: readonly StateChange[];
}

/** The states that may follow each state. */
export const nextStates: Readonly<Record<ApprovalState, readonly ApprovalState[]>> = {
  pending: ['approved', 'denied', 'expired', 'cancelled', 'void'],
  approved: ['used', 'void', 'expired'],
  denied: [],
  expired: [],
  cancelled: [],
  void: [],
  used: [],
};

export function isApprovalState(state: unknown): state is ApprovalState {
  return typeof state === 'string' && Object.hasOwn(nextStates, state);
}

export function mayFollow(from: ApprovalState, to: ApprovalState): boolean {
  return isApprovalState(from) && nextStates[from].includes(to);
}

/** A change of state, with the answer that caused it. */
export interface ApprovalChange {
  readonly to: ApprovalState;
  readonly by: string;
  readonly at: number;
  readonly answer?: SignedAnswer | undefined;
}

/** The record after an allowed change. An answer that comes too late becomes an expiry. */
export function changeApproval(record: ApprovalRecord, change: ApprovalChange): ApprovalRecord {
  const isAnswer = change.to === 'approved' || change.to === 'denied';
  const isLate = isAnswer && record.state === 'pending' && change.at >= record.expiresAt;
  const { to, by, at, answer }: ApprovalChange = isLate ? { to: 'expired', by: 'bridle', at: change.at } : change;
  const changes = [...record.changes, { state: to, at, by }];
  return { ...record, state: to, answer: answer ?? record.answer, changes };
}

/** The state of an approval after this answer; undefined if it is not a valid one. */
export function stateAfter(answer: ApprovalAnswer): ApprovalState | undefined {
  switch (answer?.type) {
    case 'approve':
      return 'approved';
    case 'deny':
      return 'denied';
    case 'expire':
      return 'expired';
    default:
      return undefined;
  }
}
