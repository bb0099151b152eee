/** The options of a worker. */

import { BridleError, throwProblems } from '../kernel/errors.ts';
import type { StoreOptions } from '../store/store.ts';
import type { AgentSource } from './agent-source.ts';
import type { WorkerEvent } from './worker-event.ts';

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
