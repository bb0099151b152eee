/** Workers in this process, on the store of a rig. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentOptions } from 'bridle/agent';
import { startWorker, type Worker, type WorkerEvent, type WorkerOptions } from 'bridle/fleet';
import { scriptedModel, type ScriptedStep } from 'bridle/testing';
import { afterEach } from 'vitest';
import { askPostgres, type StoreRig } from './store-rig.ts';

export interface FleetRig {
  /** Starts a worker with this agent; stopped after the test. */
  start(agent: Partial<AgentOptions>, options?: Partial<WorkerOptions>): Promise<Worker>;
  /** The events of all workers. */
  readonly events: WorkerEvent[];
  /** Runs one statement on the tables of the queue; `$dbos` is replaced by their schema. */
  askQueue(sql: string): Promise<readonly Record<string, unknown>[]>;
}

export function fleetRig(rig: StoreRig): FleetRig {
  const workers: Worker[] = [];
  const events: WorkerEvent[] = [];
  const askQueue = (sql: string) => {
    const url = new URL(rig.at);
    const schema = `${url.searchParams.get('schema')}_dbos`;
    url.search = '';
    return askPostgres(url.href, sql.replaceAll('$dbos', schema));
  };
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.stop();
    events.length = 0;
    if (rig.kind === 'postgres') await askQueue('DROP SCHEMA IF EXISTS $dbos CASCADE');
  });
  return {
    events,
    askQueue,
    start: async (agent, options = {}) => {
      const worker = await startWorker({
        store: { at: rig.at, keys: rig.keys },
        agents: [fleetAgent(agent)],
        leaseMs: 600,
        pollMs: 20,
        onEvent: (event) => events.push(event),
        ...options,
      });
      workers.push(worker);
      return worker;
    },
  };
}

/** Options for an agent without anything but what is given. */
export function fleetAgent(options: Partial<AgentOptions> = {}): AgentOptions {
  const model = answering('all done');
  return { model, capabilities: 'none', default: 'allow', telemetry: false, retries: 0, ...options };
}

/** A model that depends on the conversation only: the n-th step answers when there are n results. */
export function answering(...steps: readonly ScriptedStep[]): AgentOptions['model'] {
  const answer: ScriptedStep = (asked) => {
    const step = steps[asked.prompt.filter(({ role }) => role === 'tool').length] ?? 'all done';
    return typeof step === 'function' ? step(asked) : step;
  };
  return scriptedModel([answer], { repeat: true, keepCalls: false });
}

/** Waits until the condition is true; limited only by the timeout of the test. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(20);
}
