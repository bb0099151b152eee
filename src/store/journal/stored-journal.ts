/** The journal of a store: one chain for all processes of a namespace, with signed checkpoints. */

import type { JournalRecord } from '../../journal/hash-chain.ts';
import type { Checkpoint, CheckpointKey, JournalHead } from '../../journal/checkpoint.ts';
import type { JournalVerification } from '../../journal/verify-journal.ts';
import type { Journal, JournalEntry } from '../../kernel/records/journal-entry.ts';

export type { Checkpoint, JournalHead };

export interface ReadOptions {
  /** The first record. Default: 0. */
  readonly from?: number | undefined;
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface VerifyOptions {
  /** The hash of a record that used to be the last one. */
  readonly head?: string | undefined;
  /** Trusted keys in addition to those of the store's key ring. */
  readonly keys?: readonly CheckpointKey[] | undefined;
  /** Called from time to time with the number of records checked so far. */
  readonly onProgress?: ((count: number) => void) | undefined;
}

export interface StoredJournal extends Journal {
  /**
   * Resolves when the entry is durable. Entries that arrive together are written together. If the same object is
   * appended again, during the write or after it failed, it is recorded once.
   */
  append(entry: JournalEntry): Promise<void>;
  head(): Promise<JournalHead>;
  /** Records in order, read in batches. */
  read(options?: ReadOptions): AsyncIterable<JournalRecord>;
  /** The records about one call, by its id, in order. */
  ofCall(call: string): AsyncIterable<JournalRecord>;
  /** Lines of an export: records, and each checkpoint after the last record it covers. */
  lines(options?: ReadOptions): AsyncIterable<string>;
  /** The last `count` records, then new ones if `follow` is set, until the signal is aborted. */
  tail(
    count: number,
    options: { readonly signal: AbortSignal; readonly follow: boolean },
  ): AsyncIterable<JournalRecord>;
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** Signs the end of the chain now; undefined if the journal is empty. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /**
   * Checks every record against the chain, every checkpoint against its key, and the end against its seal and a given
   * head.
   */
  verify(options?: VerifyOptions): Promise<JournalVerification>;
}
