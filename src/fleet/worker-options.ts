/** What a worker can be given. */

import { BridleError, throwProblems } from '../kernel/errors.ts';
import type { StoreOptions } from '../store/store.ts';
import type { AgentSource } from './agent-source.ts';
import type { WorkerEvent } from './worker-event.ts';

export interface WorkerOptions {
  /** Where the runs are: a path, a Postgres URL, or more options. The worker opens it, and closes it when it stops. */
  readonly store: string | StoreOptions;
  /** The agents whose runs it goes on with. */
  readonly agents: readonly AgentSource[];
  /** How many runs of each agent it works on at a time; 10 if not given. */
  readonly concurrency?: number | undefined;
  /** How long a worker that says nothing keeps its runs before others take them; 30 seconds if not given. */
  readonly leaseMs?: number | undefined;
  /** On Postgres: how often the queue is looked at; every 100 milliseconds if not given. */
  readonly pollMs?: number | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

/** The same with everything that was not said. */
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

function rangeProblem(name: string, value: number, [least, most]: readonly [number, number]): readonly string[] {
  const fits = Number.isInteger(value) && value >= least && value <= most;
  return fits ? [] : [`${name} is a whole number from ${least} to ${most}, not ${String(value)}`];
}

/** A listener that throws harms no run; that it does is told once. */
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
