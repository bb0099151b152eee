/** An approval as it is kept: the exact call it is about, what was shown, who may answer, and what became of it. */

import type { RememberDuration, ShownCall } from '../../kernel/approval.ts';
import type { ApprovalId } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** `void`: what was approved is no longer what would run. `used`: the one execution it was for has begun. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'void' | 'used';

/** A process, told apart from a later one with the same number. */
export interface ProcessIdentity {
  /** The name of its machine, for people. */
  readonly host: string;
  /** The boot of its machine and its namespace of processes: what `pid` is a number of. Names can be the same. */
  readonly realm: string;
  readonly pid: number;
  /** When it started, as a number that grows with time; empty where the system does not tell. */
  readonly started: string;
}

/** A process with those above it, the nearest first, as far as the system tells. */
export interface ProcessOrigin extends ProcessIdentity {
  readonly parents: readonly Pick<ProcessIdentity, 'pid' | 'started'>[];
}

/** What an answer counts for if it is to count again, each as a hash that only holders of the store's secret can make. */
export interface RememberBinding {
  /** Everything but what a rule leaves open: session, agent, tool, server, folder, policy, who asks. */
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

/** What is asked: everything of a record that never changes. */
export interface ApprovalDraft {
  readonly id: ApprovalId;
  /** SHA-256 over everything the answer counts for: the call, policy, questions, the proposal, and what is shown. */
  readonly digest: string;
  /** The call alone: session, agent, tool, server, args, folder, paths. Keyed, so that nobody can try out masked args. */
  readonly callDigest: string;
  readonly session: string;
  readonly agent: readonly string[];
  /** Which call of the session it is: turn, step and id. */
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
  readonly remembers: RememberBinding;
  readonly policyVersion: string;
  /** The names of those who may answer; any approver the asking process trusts if not given. */
  readonly answerers: readonly string[] | undefined;
  readonly asker: ProcessIdentity;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a person says. */
export type ApproverAnswer =
  | {
      readonly type: 'approve';
      readonly args?: JsonObject | undefined;
      readonly remember?: RememberDuration | undefined;
      /** The shown proposal is accepted: remembered is that rule, not these args alone. */
      readonly rule?: boolean | undefined;
    }
  | { readonly type: 'deny'; readonly reason?: string | undefined; readonly remember?: RememberDuration | undefined };

/** An answer with who gave it, when and from where, signed by that person's key. */
export interface SignedAnswer {
  readonly answer: ApproverAnswer;
  readonly approval: ApprovalId;
  readonly digest: string;
  readonly by: string;
  readonly at: number;
  readonly from: ProcessOrigin;
  /** Set if it was given through the approver that the process in `from` had opened; the proof is for that process. */
  readonly host?: string | undefined;
  /** Of the record, if the answer is to be remembered. */
  readonly remembers?: RememberBinding | undefined;
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
