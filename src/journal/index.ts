/** `bridle/journal`: the record format, the hash chain over it, a journal in memory, and masks for what is secret. */

export {
  chainStart,
  type ChainOptions,
  type Fault,
  type JournalRecord,
  readRecordLine,
  recordLine,
  sealRecord,
  type Verified,
  verifyRecords,
} from './chain.ts';
export { type Checkpoint, type JournalHead } from './checkpoint.ts';
export { type JournalCheckOptions, type VerifiedJournal, verifyExport, verifyLines } from './journal-check.ts';
export { type MemoryJournal, memoryJournal } from './memory-journal.ts';
export {
  type ApprovalFacts,
  type DecidedEntry,
  type Journal,
  type JournalEntry,
  journalVersion,
  type NotedEntry,
  type SettledEntry,
} from './record.ts';
export { holdsMasked, isMasked } from '../masking/masked.ts';
export { maskSecrets, type MaskOptions } from '../masking/mask-secrets.ts';
export { restoreMasked } from '../masking/restore-masked.ts';
