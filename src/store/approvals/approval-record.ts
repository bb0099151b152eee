/** An approval as it is kept: the exact call it is about, what was shown, who may answer, and what became of it. */

import type { Remember, ShownCall } from '../../approval.ts';
import type { ApprovalId } from '../../ids.ts';
import type { JsonObject } from '../../json.ts';

/** `void`: what was approved is no longer what would run. `used`: the one execution it was for has begun. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'void' | 'used';

/** A process, told apart from a later one with the same number. */
export interface ProcessMark {
  readonly host: string;
  readonly pid: number;
  /** When it started, as the system tells it; empty where it does not. */
  readonly started: string;
}

export interface AskedQuestion {
  readonly text: string;
  readonly rule?: string | undefined;
  readonly hook?: string | undefined;
}

/** What is asked: everything of a record that never changes. */
export interface ApprovalDraft {
  readonly id: ApprovalId;
  /** SHA-256 over everything the answer counts for: session, agent, tool, server, args, folder, paths, policy, questions. */
  readonly digest: string;
  readonly session: string;
  readonly agent: readonly string[];
  /** The id of the call. */
  readonly call: string;
  readonly run: string | undefined;
  readonly tool: string;
  readonly server: string | undefined;
  /** With secrets masked, like `shown`. */
  readonly args: JsonObject;
  readonly shown: ShownCall;
  readonly questions: readonly AskedQuestion[];
  /** The rule that would be remembered if the person wants more than this call, in words. */
  readonly proposal: string | undefined;
  readonly policyVersion: string;
  /** The names of those who may answer; any approver the asking process trusts if not given. */
  readonly answerers: readonly string[] | undefined;
  readonly asker: ProcessMark;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a person says. */
export type GivenAnswer =
  | {
      readonly type: 'approve';
      readonly args?: JsonObject | undefined;
      readonly remember?: Remember | undefined;
      /** The shown proposal is accepted: remembered is that rule, not these args alone. */
      readonly rule?: boolean | undefined;
    }
  | { readonly type: 'deny'; readonly reason?: string | undefined; readonly remember?: Remember | undefined };

/** An answer with who gave it, when and from where, signed by that person's key. */
export interface SignedAnswer {
  readonly answer: GivenAnswer;
  readonly approval: ApprovalId;
  readonly digest: string;
  readonly by: string;
  readonly at: number;
  readonly from: ProcessMark;
  /** The fingerprint of the public key. */
  readonly key: string;
  readonly signature: string;
}

export interface StateChange {
  readonly state: ApprovalState;
  readonly at: number;
  readonly by: string;
}

export interface ApprovalRecord extends ApprovalDraft {
  readonly state: ApprovalState;
  readonly answer: SignedAnswer | undefined;
  /** Every state it has had, the first one included. */
  readonly changes: readonly StateChange[];
}
