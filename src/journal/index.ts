/** `bridle/journal`: the record format, its hash chain, a journal in memory, and masking of secrets. */

export {
  chainStart,
  type VerifyChainOptions,
  type JournalFault,
  type JournalRecord,
  readRecordLine,
  recordLine,
  sealRecord,
  type ChainVerification,
  verifyRecords,
} from './hash-chain.ts';
export { type Checkpoint, type JournalHead } from './checkpoint.ts';
export { type VerifyJournalOptions, type JournalVerification, verifyExport, verifyLines } from './verify-journal.ts';
export { type MemoryJournal, memoryJournal } from './memory-journal.ts';
export {
  type ApprovalDetails,
  type DecidedEntry,
  type Journal,
  type JournalEntry,
  journalVersion,
  type NotedEntry,
  type SettledEntry,
} from '../kernel/records/journal-entry.ts';
export type { Mask } from '../kernel/approval.ts';
export { containsMask, isMasked, restoreMasked } from '../redact/mask-text.ts';
export { maskSecrets, type MaskOptions } from '../redact/mask-secrets.ts';
