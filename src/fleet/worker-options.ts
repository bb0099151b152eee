/** The options and events of a worker. */

import { BridleError, throwProblems } from '../kernel/errors.ts';
import type { StoreOptions } from '../store/store.ts';
import type { AgentSource } from './agent-source.ts';

export interface WorkerOptions {
  /** The store with the runs: a path, a Postgres URL, or store options. The worker opens and closes it. */
  readonly store: string | StoreOptions;
  /** The agents whose runs it works on. */
  readonly agents: readonly AgentSource[];
  /** How many runs of each agent to work on at the same time; default 10. */
  readonly concurrency?: number | undefined;
  /** How long a worker keeps its runs without a heartbeat before others take over; default 30 seconds. */
  readonly leaseMs?: number | undefined;
  /** On Postgres: how often the queue is polled; default 100 ms. */
  readonly pollMs?: number | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

/**
 * How a run left this worker. `refused`: another worker has it, or it needs no work. `fenced`: another worker took it over
 * while this one was working on it. `error`: it could not be resumed, and will be tried again.
 */
export type SegmentState = 'done' | 'waiting' | 'queued' | 'failed' | 'cancelled' | 'refused' | 'fenced' | 'error';

export type WorkerEvent =
  | {
      readonly type: 'worker_started';
      readonly worker: string;
      /** The store's address without its password. */
      readonly store: string;
      readonly namespace: string;
      readonly agents: readonly string[];
      readonly concurrency: number;
      readonly leaseMs: number;
    }
  | { readonly type: 'segment_started'; readonly run: string; readonly agent: string }
  | {
      readonly type: 'segment_ended';
      readonly run: string;
      readonly agent: string;
      readonly state: SegmentState;
      /** The error, if there was one. */
      readonly message?: string | undefined;
      readonly elapsedMs: number;
    }
  /** Runs reclaimed from dead workers; they are queued again. */
  | { readonly type: 'runs_taken_back'; readonly runs: readonly string[] }
  /** An error; the operation is retried. */
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'worker_stopping' }
  | { readonly type: 'worker_stopped' };

/** The options with defaults filled in. */
export interface WorkerSettings {
  readonly store: StoreOptions;
  readonly agents: readonly AgentSource[];
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly emit: (event: WorkerEvent) => void;
}

export function readWorkerOptions(options: WorkerOptions): WorkerSettings {
  const { store, agents, concurrency = 10, leaseMs = 30_000, pollMs = 100, onEvent } = options;
  throwProblems('WORKER_FAILED', [
    ...rangeProblem('concurrency', concurrency, [1, 1000]),
    ...rangeProblem('leaseMs', leaseMs, [500, 86_400_000]),
    ...rangeProblem('pollMs', pollMs, [10, 60_000]),
  ]);
  if (agents.length === 0) throw new BridleError('WORKER_FAILED', 'a worker needs at least one agent');
  const place = typeof store === 'string' ? { at: store } : store;
  return { store: place, agents, concurrency, leaseMs, pollMs, emit: safeEmitter(onEvent) };
}

function rangeProblem(name: string, value: number, [min, max]: readonly [number, number]): readonly string[] {
  const fits = Number.isInteger(value) && value >= min && value <= max;
  return fits ? [] : [`${name} must be a whole number from ${min} to ${max}, not ${String(value)}`];
}

/** An error thrown by the listener does not affect runs; it is reported once, as a process warning. */
function safeEmitter(onEvent: WorkerOptions['onEvent']): WorkerSettings['emit'] {
  let warned = false;
  return (event) => {
    try {
      onEvent?.(event);
    } catch (error) {
      if (!warned) process.emitWarning(error instanceof Error ? error : String(error));
      warned = true;
    }
  };
}
