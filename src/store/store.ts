/**
 * What must survive a process: one interface, kept by SQLite in a file or by Postgres. Every row belongs to a namespace,
 * and what decides something is sealed, so that a damaged or changed row is found instead of believed.
 */

import type { AnswerMemory } from '../kernel/approval.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { Counters } from './counters/counters.ts';
import type { StoredJournal } from './journal/stored-journal.ts';
import type { HostApprover } from './host-approver.ts';
import type { KeyRing, SigningKey } from '../approvals/signing/key-ring.ts';
import type { Runs } from './runs/run-record.ts';
import type { SavedDocuments } from './sessions/saved-documents.ts';

export interface StoreOptions {
  /** A path, `sqlite:path`, or `postgres://…`; `.bridle/store.db` in the current folder if not given. */
  readonly at?: string | undefined;
  /** Whose rows these are; `default` if not given. */
  readonly namespace?: string | undefined;
  /** The folder of the keys; `~/.bridle/keys` if not given. */
  readonly keys?: string | undefined;
  /** `full` syncs every commit to the disk; `process` survives a killed process, not a power cut. `full` if not given. */
  readonly durability?: 'full' | 'process' | undefined;
  /** Encrypts what runs and sessions keep with the key of the store. False if not given. */
  readonly encrypt?: boolean | undefined;
  /** False: where there is no store nothing is made, and opening fails. True if not given. */
  readonly create?: boolean | undefined;
  readonly clock?: (() => number) | undefined;
}

export interface Store {
  readonly type: 'bridle-store';
  readonly dialect: 'sqlite' | 'postgres';
  /** Where it is, without a password. */
  readonly at: string;
  readonly namespace: string;
  /** Files that no tool may touch: the store itself, and the keys. */
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
   * Opens the approver of the process that hosts agents: it may answer what agents of this very process ask. Only before
   * the first session of the process. Keep it to the code that shows questions to people.
   */
  openApprover(key: SigningKey): HostApprover;
  /** Waits for what is being written, then closes; twice is once. */
  close(): Promise<void>;
}
