/** `bridle/store`: journal, approvals, runs and limits that survive the process, in a SQLite file or in Postgres. */

export type {
  ApprovalDraft,
  ApprovalRecord,
  ApprovalState,
  AskedQuestion,
  ApproverAnswer,
  ProcessIdentity,
  ProcessOrigin,
  RememberBinding,
  SignedAnswer,
  StateChange,
} from '../approvals/signing/approval-record.ts';
export type { ApprovalFilter, Approvals } from './approvals/approvals.ts';
export { signAnswer } from '../approvals/signing/signed-answer.ts';
export type { Amounts, Counters, TakeRefusal, Reservation, SharedRate, TakeRequest } from './counters/counters.ts';
export type { Checkpoint, JournalHead } from '../journal/checkpoint.ts';
export type { StoredJournal } from './journal/open-journal.ts';
export type { ReadOptions } from './journal/read-journal.ts';
export type { VerifyOptions } from './journal/verify-stored-journal.ts';
export { listApprovers, createApproverKey, openApproverKey, type ApproverOptions } from './keys/approver-keys.ts';
export type { KeyRing, SigningKey, TrustedKey } from '../approvals/signing/key-ring.ts';
export type { HostApprover } from './host-approver.ts';
export { openStore } from './open-store.ts';
export type { QueuedRun, RunClaim, RunEnd, RunFilter, RunRecord, Runs, RunState, RunStep } from './runs/run-record.ts';
export type { SavedDocument, SavedDocuments } from './sessions/open-sessions.ts';
export { storeApprover, type SessionRun, type StoreApproverOptions } from './store-approver.ts';
export type { Store, StoreOptions } from './store.ts';
