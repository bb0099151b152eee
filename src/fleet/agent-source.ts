/** What a worker creates its agents from. */

import type { Agent } from '../agent/agent.ts';
import { createAgent } from '../agent/create-agent.ts';
import type { AgentOptions } from '../agent/options/agent-options.ts';
import { BridleError } from '../kernel/errors.ts';
import { kindOf } from '../kernel/kind-of.ts';
import type { Store } from '../store/store.ts';

/**
 * Agent options, or a function that receives the store and returns options or an agent that is not started. A run belongs
 * to the agent with the name it was started with; `main` by default.
 */
export type AgentSource =
  | AgentOptions
  | ((given: { readonly store: Store }) => AgentOptions | Agent | Promise<AgentOptions | Agent>);

/** Creates an agent on this store without starting it. */
export async function openAgent(source: AgentSource, store: Store): Promise<Agent> {
  const created: unknown = typeof source === 'function' ? await source({ store }) : source;
  if (typeof created !== 'object' || created === null) {
    throw new BridleError('WORKER_FAILED', `expected agent options or an agent, not ${kindOf(created)}`);
  }
  const agent = isAgent(created) ? created : createAgent(withStoreOption(created as AgentOptions, store));
  if (agent.store !== store) {
    throw new BridleError(
      'WORKER_FAILED',
      `the agent "${agent.name}" uses another store than the worker: ` +
        'pass a function ({ store }) => createAgent({ store, … }), or options without a store',
    );
  }
  return agent;
}

function withStoreOption(options: AgentOptions, store: Store): AgentOptions {
  return { ...options, store: options.store ?? store };
}

/** Duck typing, because an agent may come from another copy of this package. */
function isAgent(value: object): value is Agent {
  const { start, resume } = value as { readonly start?: unknown; readonly resume?: unknown };
  return typeof start === 'function' && typeof resume === 'function';
}
