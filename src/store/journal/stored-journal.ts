/** The journal of a store: one chain for all processes of a namespace, with signed checkpoints. */

import type { JournalRecord, Verified } from '../../journal/chain.ts';
import type { Journal, JournalEntry } from '../../journal/record.ts';

/** The end of the chain at some moment. Kept elsewhere, it shows whether records were cut off. */
export interface JournalHead {
  /** How many records there are. */
  readonly count: number;
  /** The hash of the last one. */
  readonly hash: string;
}

export interface Checkpoint extends JournalHead {
  readonly at: number;
  /** The fingerprint of the public key, and the signature over count, hash, time and namespace. */
  readonly key: string;
  readonly signature: string;
}

export interface ReadOptions {
  /** The first record; 0 if not given. */
  readonly from?: number | undefined;
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StoredJournal extends Journal {
  /** Settles when the entry is durable. Many that come together are written together. */
  append(entry: JournalEntry): Promise<void>;
  head(): Promise<JournalHead>;
  /** Records in order, read in batches. */
  read(options?: ReadOptions): AsyncIterable<JournalRecord>;
  /** The last `count` records, then those that come, until the signal is aborted. */
  tail(
    count: number,
    options: { readonly signal: AbortSignal; readonly follow: boolean },
  ): AsyncIterable<JournalRecord>;
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** Signs the end of the chain now. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /** Every record against the chain, every checkpoint against its key, and the end against a head kept elsewhere. */
  verify(options?: { readonly head?: string | undefined }): Promise<Verified>;
}
