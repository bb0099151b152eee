/** Stored runs: input, progress, and current owner. */

import type { ProcessIdentity } from '../../approvals/signing/approval-record.ts';
import type { JsonValue } from '../../kernel/json.ts';

/** `queued`: any process may claim it. `waiting`: for an approval, without occupying a process. */
export type RunState = 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';

export interface RunRecord {
  readonly id: string;
  /** The name of its agent. */
  readonly agent: string;
  readonly state: RunState;
  /** Grows with each claim. Earlier owners can no longer write. */
  readonly segment: number;
  readonly owner: ProcessIdentity | undefined;
  /** Milliseconds since 1970: until then no other process may claim a running run. */
  readonly leaseUntil: number;
  readonly input: JsonValue;
  readonly output: JsonValue | undefined;
  readonly error: string | undefined;
  /** Ids of the approvals it waits for. */
  readonly waitingFor: readonly string[];
  readonly steps: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Something that happened in a run and must not happen again. */
export interface RunStep {
  /** Counted from 0. */
  readonly seq: number;
  readonly kind: string;
  /** Identifies the call or answer within the run. */
  readonly name: string;
  readonly value: JsonValue;
}

export type RunEnd =
  | { readonly state: 'done'; readonly output: JsonValue }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'cancelled'; readonly error: string };

/** A claim on a run. Every method throws RUN_FENCED once another process has claimed the run, or it was cancelled. */
export interface RunClaim {
  /** The run as it was when claimed. */
  readonly run: RunRecord;
  /** The steps recorded so far, oldest first. */
  steps(): Promise<readonly RunStep[]>;
  /** The last recorded state. */
  state(): Promise<JsonValue | undefined>;
  /** Records a step and, if given, the state, in one transaction. Resolves when both are durable. */
  record(step: Omit<RunStep, 'seq'>, state?: JsonValue): Promise<void>;
  /** Extends the lease. */
  renew(): Promise<void>;
  /** Releases the run until one of these approvals is settled. If one already is, the run is queued immediately. */
  wait(approvals: readonly string[]): Promise<void>;
  /** Releases the run, so that any process may claim it. */
  release(): Promise<void>;
  /** Ends the run. Its steps and state are deleted. */
  finish(end: RunEnd): Promise<void>;
}

export interface RunFilter {
  readonly state?: RunState | undefined;
  readonly agent?: string | undefined;
  readonly limit?: number | undefined;
}

export interface QueuedRun {
  readonly id: string;
  readonly agent: string;
  readonly segment: number;
}

export interface Runs {
  /** Stores a new run as queued. Returns the existing one if the id is taken. */
  create(run: {
    readonly id: string;
    readonly agent: string;
    readonly input: JsonValue;
  }): Promise<{ readonly record: RunRecord; readonly created: boolean }>;
  get(id: string): Promise<RunRecord | undefined>;
  /** Newest first. Default limit: 100. */
  list(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /** Queued runs, longest waiting first. Only a hint: the rows are not verified until they are claimed. */
  queued(options: { readonly agents: readonly string[]; readonly limit: number }): Promise<readonly QueuedRun[]>;
  /**
   * Claims a run that is queued, or whose owner died or let its lease expire. A string says why it cannot be claimed.
   */
  claim(id: string, options: { readonly leaseMs: number }): Promise<RunClaim | string>;
  /** Queues every run whose lease has expired and returns their ids. Default for `now`: the store's time. */
  reap(now?: number): Promise<readonly string[]>;
  /** Cancels a run and fences its owner. False if it has already ended. */
  cancel(id: string, by: string): Promise<boolean>;
  /** Calls `changed` soon after a run in this namespace is queued or ends, until the returned function is called. */
  watch(changed: () => void): Promise<() => void>;
}
