/** Runs as they are kept: what was asked, how far it got, who works on it. */

import type { ProcessIdentity } from '../../approvals/signing/approval-record.ts';
import type { JsonValue } from '../../kernel/json.ts';

/** `queued`: whoever comes may take it. `waiting`: for an answer; it holds no process. */
export type RunState = 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';

export interface RunRecord {
  readonly id: string;
  /** The name of the agent it is for. */
  readonly agent: string;
  readonly state: RunState;
  /** Grows each time somebody takes the run; whoever had it before can write no more. */
  readonly segment: number;
  readonly owner: ProcessIdentity | undefined;
  /** Milliseconds since 1970: until then nobody else may take a run that is running. */
  readonly leaseUntil: number;
  readonly input: JsonValue;
  readonly output: JsonValue | undefined;
  readonly error: string | undefined;
  /** The approvals it waits for. */
  readonly waitingFor: readonly string[];
  readonly steps: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One thing that happened in a run and must not happen again. */
export interface RunStep {
  /** Counted from 0. */
  readonly seq: number;
  readonly kind: string;
  /** Which call or answer it is, within the run. */
  readonly name: string;
  readonly value: JsonValue;
}

export type RunEnd =
  | { readonly state: 'done'; readonly output: JsonValue }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'cancelled'; readonly error: string };

/** The right to go on with a run. Every method throws RUN_FENCED once another has taken it, or it was cancelled. */
export interface RunClaim {
  /** The run as it was when it was taken. */
  readonly run: RunRecord;
  /** What was recorded so far, oldest first. */
  steps(): Promise<readonly RunStep[]>;
  /** What the run needs to go on, as it was last recorded. */
  state(): Promise<JsonValue | undefined>;
  /** Records a step and, if given, the state, in one transaction; settles when it is durable. */
  record(step: Omit<RunStep, 'seq'>, state?: JsonValue): Promise<void>;
  /** Lengthens the lease. */
  renew(): Promise<void>;
  /** Gives the run up until one of these approvals is settled. If one is already, it is queued at once. */
  wait(approvals: readonly string[]): Promise<void>;
  /** Gives the run back to whoever comes. */
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
  /** Keeps a new run, queued; of one that exists already, what it is. */
  create(run: {
    readonly id: string;
    readonly agent: string;
    readonly input: JsonValue;
  }): Promise<{ readonly record: RunRecord; readonly created: boolean }>;
  get(id: string): Promise<RunRecord | undefined>;
  /** The newest first; 100 if not given. */
  list(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /** Which runs wait to be taken, those that wait longest first. Not checked: a place to look, the claim decides. */
  queued(options: { readonly agents: readonly string[]; readonly limit: number }): Promise<readonly QueuedRun[]>;
  /** Takes a run that is queued, or whose owner is dead or has let its lease run out; a text says why not. */
  claim(id: string, options: { readonly leaseMs: number }): Promise<RunClaim | string>;
  /** Queues every run whose lease has run out by `now`, the time of the store if not given; tells which. */
  reap(now?: number): Promise<readonly string[]>;
  /** Ends a run from outside; whoever works on it is fenced. False if it had ended. */
  cancel(id: string, by: string): Promise<boolean>;
  /** Calls `changed` soon after a run of this namespace was queued or ended, until the returned function is called. */
  watch(changed: () => void): Promise<() => void>;
}
