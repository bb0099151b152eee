/**
 * Approvals as records that outlive the asking process. Races end here: one answer wins, and an approval is used once.
 */

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
  /** How many, newest first. Default: 100. */
  readonly limit?: number | undefined;
}

export interface Approvals {
  put(draft: ApprovalDraft): Promise<ApprovalRecord>;
  get(id: ApprovalId): Promise<ApprovalRecord | undefined>;
  /** Finds a record by the start of its id, for people who type it. Throws if several match. */
  find(start: string): Promise<ApprovalRecord | undefined>;
  list(filter?: ApprovalFilter): Promise<readonly ApprovalRecord[]>;
  /**
   * The newest record about a call of a run with this `callDigest`, in any state; otherwise the newest about the call.
   */
  ofCall(about: {
    readonly run: string;
    readonly agent: readonly string[];
    readonly call: string;
    readonly callDigest?: string | undefined;
  }): Promise<ApprovalRecord | undefined>;
  /** The first record about a call of a run that is still pending. */
  firstPending(about: {
    readonly run: string;
    readonly agent: readonly string[];
    readonly call: string;
  }): Promise<ApprovalRecord | undefined>;
  /**
   * Records a signed answer if the record is still pending, and wakes the waiting process. `won` is false if another
   * answer came first. Throws APPROVAL_REFUSED for an answer that cannot count.
   */
  answer(signed: SignedAnswer): Promise<{ readonly won: boolean; readonly record: ApprovalRecord }>;
  /**
   * Moves a record from one state to another. False if another process was first, or the record expired. An approval
   * without a signature counts only for the process that made this change.
   */
  move(
    id: ApprovalId,
    change: { readonly from: ApprovalState; readonly to: ApprovalState; readonly by: string },
  ): Promise<boolean>;
  /**
   * Marks pending records past their deadline as expired, and returns how many. Default for `now`: the store's time.
   */
  expire(now?: number): Promise<number>;
  /** Resolves when the record is answered, expires (it is then marked as expired), or the signal is aborted. */
  settled(id: ApprovalId, options: { readonly signal: AbortSignal }): Promise<ApprovalRecord>;
  /** Calls `changed` soon after any record in this namespace changes, until the returned function is called. */
  watch(changed: () => void): Promise<() => void>;
}
