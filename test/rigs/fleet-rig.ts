/** Workers in this process, on a store of a rig. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentOptions } from 'bridle/agent';
import { startWorker, type Worker, type WorkerEvent, type WorkerOptions } from 'bridle/fleet';
import { scriptedModel, type ScriptedStep } from 'bridle/testing';
import { afterEach } from 'vitest';
import { askPostgres, type StoreRig } from './store-rig.ts';

export interface FleetRig {
  /** A worker with this agent; stopped after the test. */
  start(agent: Partial<AgentOptions>, options?: Partial<WorkerOptions>): Promise<Worker>;
  /** What all of them have told. */
  readonly events: WorkerEvent[];
  /** One statement about the tables of the queue; `$dbos` stands for their schema. */
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

/** The options of an agent that does nothing but what is given. */
export function fleetAgent(options: Partial<AgentOptions> = {}): AgentOptions {
  const model = answering('all done');
  return { model, capabilities: 'none', default: 'allow', telemetry: false, retries: 0, ...options };
}

/** A model that goes by the conversation alone: the n-th step answers when there are n results. */
export function answering(...steps: readonly ScriptedStep[]): AgentOptions['model'] {
  const answer: ScriptedStep = (asked) => {
    const step = steps[asked.prompt.filter(({ role }) => role === 'tool').length] ?? 'all done';
    return typeof step === 'function' ? step(asked) : step;
  };
  return scriptedModel([answer], { repeat: true, keepCalls: false });
}

/** Waits until it holds; the test's own time limit is the only one. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(20);
}
