/**
 * The store: everything that must survive the process, in a SQLite file or in Postgres. Every row belongs to a
 * namespace. Rows that affect decisions are sealed, so a damaged or modified row is detected instead of trusted.
 */

import type { AnswerMemory } from '../approvals/remember-answers.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { Counters } from './counters/counters.ts';
import type { StoredJournal } from './journal/open-journal.ts';
import type { HostApprover } from './host-approver.ts';
import type { KeyRing, SigningKey } from '../approvals/signing/key-ring.ts';
import type { Runs } from './runs/run-record.ts';
import type { SavedDocuments } from './sessions/open-sessions.ts';

export interface StoreOptions {
  /** A path, `sqlite:path`, or `postgres://…`. Default: `.bridle/store.db` in the current folder. */
  readonly at?: string | undefined;
  /** The namespace of all rows. Default: `default`. */
  readonly namespace?: string | undefined;
  /** The key folder. Default: `~/.bridle/keys`. */
  readonly keys?: string | undefined;
  /** `full` (the default) syncs every commit to disk; `process` survives a killed process, but not a power failure. */
  readonly durability?: 'full' | 'process' | undefined;
  /** Encrypts the contents of runs and sessions with the store's key. Default: false. */
  readonly encrypt?: boolean | undefined;
  /** False: opening fails if the store does not exist. Default: true, which creates it. */
  readonly create?: boolean | undefined;
  readonly clock?: (() => number) | undefined;
}

export interface Store {
  readonly type: 'bridle-store';
  readonly dialect: 'sqlite' | 'postgres';
  /** Its address, without the password. */
  readonly at: string;
  readonly namespace: string;
  /** Files that no tool may touch: the store and its keys. */
  readonly files: readonly string[];
  readonly keys: KeyRing;
  readonly journal: StoredJournal;
  readonly approvals: Approvals;
  /** Remembered answers. */
  readonly answers: AnswerMemory;
  readonly counters: Counters;
  readonly sessions: SavedDocuments;
  readonly runs: Runs;
  /**
   * Opens an approver for the process that hosts agents. It may answer questions from agents in the same process. Call
   * it before the first session starts, and keep the result private to the code that shows questions to people.
   */
  openApprover(key: SigningKey): HostApprover;
  /** Waits for pending writes, then closes. Closing twice is safe. */
  close(): Promise<void>;
}
