/** Approvals as records that outlive whoever asked. Races are decided here: of two answers one wins, and one use is all. */

import type { ApprovalId } from '../../kernel/ids.ts';
import type {
  ApprovalDraft,
  ApprovalRecord,
  ApprovalState,
  SignedAnswer,
} from '../../approvals/signing/approval-record.ts';

export interface ApprovalFilter {
  readonly state?: ApprovalState | undefined;
  readonly session?: string | undefined;
  readonly run?: string | undefined;
  /** The newest first; 100 if not given. */
  readonly limit?: number | undefined;
}

export interface Approvals {
  put(draft: ApprovalDraft): Promise<ApprovalRecord>;
  get(id: ApprovalId): Promise<ApprovalRecord | undefined>;
  /** A unique beginning of an id will do, for people who type it. */
  find(start: string): Promise<ApprovalRecord | undefined>;
  list(filter?: ApprovalFilter): Promise<readonly ApprovalRecord[]>;
  /** The newest record about a call of a run with these very args, whatever its state; if there is none, the newest. */
  ofCall(about: {
    readonly run: string;
    readonly agent: readonly string[];
    readonly call: string;
    readonly callDigest?: string | undefined;
  }): Promise<ApprovalRecord | undefined>;
  /**
   * Takes a signed answer if the record is still pending; what it is afterwards tells who won. Wakes whoever waits.
   * APPROVAL_REFUSED for an answer that cannot count.
   */
  answer(signed: SignedAnswer): Promise<{ readonly won: boolean; readonly record: ApprovalRecord }>;
  /**
   * Moves a record from one state to another, unless somebody was faster, or its time is over: then it has expired. An
   * approval that nobody signed counts only for whoever moved it there.
   */
  move(
    id: ApprovalId,
    change: { readonly from: ApprovalState; readonly to: ApprovalState; readonly by: string },
  ): Promise<boolean>;
  /** Marks what nobody answered in time, by the time of the store if none is given; tells how many. */
  expire(now?: number): Promise<number>;
  /** Settles when the record is no longer pending, or has expired (it is then marked so), or the signal is aborted. */
  settled(id: ApprovalId, options: { readonly signal: AbortSignal }): Promise<ApprovalRecord>;
  /** Calls `changed` soon after any record of this namespace changed, until the returned function is called. */
  watch(changed: () => void): Promise<() => void>;
}
