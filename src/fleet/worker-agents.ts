/** A worker's agents: starts and stops them together, and resumes runs with them. */

import type { Agent } from '../agent/agent.ts';
import { BridleError, messageOf } from '../kernel/errors.ts';
import type { Store } from '../store/store.ts';
import { type AgentSource, openAgent } from './agent-source.ts';
import type { SegmentState } from './worker-options.ts';

export interface SegmentEnd {
  readonly state: SegmentState;
  readonly message?: string | undefined;
}

export class WorkerAgents {
  private constructor(private readonly agents: ReadonlyMap<string, Agent>) {}

  /** Starts all agents; if one fails, stops the others. */
  static async start(sources: readonly AgentSource[], store: Store): Promise<WorkerAgents> {
    const agents = new Map<string, Agent>();
    try {
      for (const source of sources) {
        const agent = await openAgent(source, store);
        const { name } = agent;
        if (agents.has(name)) throw new BridleError('WORKER_FAILED', `two agents have the name "${name}"`);
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

  /** Resumes a run until it has ended, waits for an approval, or another worker has taken it over. */
  async resume(
    run: string,
    { agent, leaseMs }: { readonly agent: string; readonly leaseMs: number },
  ): Promise<SegmentEnd> {
    try {
      const known = this.agents.get(agent);
      if (known === undefined) return { state: 'refused', message: `this worker has no agent "${agent}"` };
      const result = await known.resume(run, { hold: 'release', leaseMs });
      return result.state === 'failed' ? { state: 'failed', message: result.error } : { state: result.state };
    } catch (error) {
      return { state: stateOf(error), message: messageOf(error) };
    }
  }

  /** Releases every run after its current step. */
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
  await Promise.allSettled([...agents].map((agent) => agent.stop('the worker is stopping')));
}
