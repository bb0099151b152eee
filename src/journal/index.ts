/** `bridle/journal`: the record format, the hash chain over it, and a journal in memory. */

export {
  chainStart,
  type JournalRecord,
  readRecordLine,
  recordLine,
  sealRecord,
  type Verified,
  verifyLines,
  verifyRecords,
} from './chain.ts';
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
