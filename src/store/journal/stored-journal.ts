/** The journal of a store: one chain for all processes of a namespace, with signed checkpoints. */

import type { JournalRecord } from '../../journal/hash-chain.ts';
import type { Checkpoint, CheckpointKey, JournalHead } from '../../journal/checkpoint.ts';
import type { JournalVerification } from '../../journal/verify-journal.ts';
import type { Journal, JournalEntry } from '../../kernel/records/journal-entry.ts';

export type { Checkpoint, JournalHead };

export interface ReadOptions {
  /** The first record; 0 if not given. */
  readonly from?: number | undefined;
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface VerifyOptions {
  /** The hash of a record that was the last one once. */
  readonly head?: string | undefined;
  /** Keys whose checkpoints count beside those of the store's key ring. */
  readonly keys?: readonly CheckpointKey[] | undefined;
  /** Told how many records were checked, from time to time. */
  readonly onProgress?: ((count: number) => void) | undefined;
}

export interface StoredJournal extends Journal {
  /**
   * Settles when the entry is durable. Many that come together are written together. The same object given again, while
   * it is being written or after that failed, is recorded once.
   */
  append(entry: JournalEntry): Promise<void>;
  head(): Promise<JournalHead>;
  /** Records in order, read in batches. */
  read(options?: ReadOptions): AsyncIterable<JournalRecord>;
  /** What was recorded about one call, by its id, in order. */
  ofCall(call: string): AsyncIterable<JournalRecord>;
  /** Lines of an export: records, and each checkpoint after the last record it covers. */
  lines(options?: ReadOptions): AsyncIterable<string>;
  /** The last `count` records, then those that come, until the signal is aborted. */
  tail(
    count: number,
    options: { readonly signal: AbortSignal; readonly follow: boolean },
  ): AsyncIterable<JournalRecord>;
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** Signs the end of the chain now; undefined if there are no records. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /** Every record against the chain, every checkpoint against its key, and the end against a head kept elsewhere. */
  verify(options?: VerifyOptions): Promise<JournalVerification>;
}
