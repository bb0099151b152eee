/** The agents of a worker, started together and stopped together, and what comes of a run that they go on with. */

import type { Agent } from '../agent/agent.ts';
import { BridleError, messageOf } from '../kernel/errors.ts';
import type { Store } from '../store/store.ts';
import { type AgentSource, openAgent } from './agent-source.ts';
import type { SegmentState } from './worker-event.ts';

export interface SegmentEnd {
  readonly state: SegmentState;
  readonly message?: string | undefined;
}

export class WorkerAgents {
  private constructor(private readonly agents: ReadonlyMap<string, Agent>) {}

  /** All of them, or none. */
  static async start(sources: readonly AgentSource[], store: Store): Promise<WorkerAgents> {
    const agents = new Map<string, Agent>();
    try {
      for (const source of sources) {
        const agent = await openAgent(source, store);
        const { name } = agent;
        if (agents.has(name)) throw new BridleError('WORKER_FAILED', `two agents are called "${name}"`);
        agents.set(name, agent);
        await agent.start();
      }
    } catch (error) {
      await stopAll(agents.values());
      throw error;
    }
    return new WorkerAgents(agents);
  }

  get names(): readonly string[] {
    return [...this.agents.keys()];
  }

  /** Goes on with a run until it has ended, waits for an answer, or is no longer ours. */
  async resume(
    run: string,
    { agent, leaseMs }: { readonly agent: string; readonly leaseMs: number },
  ): Promise<SegmentEnd> {
    try {
      const known = this.agents.get(agent);
      if (known === undefined) return { state: 'refused', message: `there is no agent "${agent}" here` };
      const result = await known.resume(run, { hold: 'release', leaseMs });
      return result.state === 'failed' ? { state: 'failed', message: result.error } : { state: result.state };
    } catch (error) {
      return { state: stateOf(error), message: messageOf(error) };
    }
  }

  /** Lets every run go after the step it is at. */
  async stop(): Promise<void> {
    await stopAll(this.agents.values());
  }
}

function stateOf(error: unknown): SegmentState {
  const code = error instanceof BridleError ? error.code : undefined;
  switch (code) {
    case 'RUN_FENCED':
      return 'fenced';
    case 'RUN_STATE':
    case 'AGENT_STATE':
      return 'refused';
    default:
      return 'error';
  }
}

async function stopAll(agents: Iterable<Agent>): Promise<void> {
  await Promise.allSettled([...agents].map((agent) => agent.stop('the worker stops')));
}
