/** What a worker is given to make its agents from. */

import type { Agent } from '../agent/agent.ts';
import { createAgent } from '../agent/create-agent.ts';
import type { AgentOptions } from '../agent/options/agent-options.ts';
import { BridleError } from '../kernel/errors.ts';
import { kindOf } from '../kernel/kind-of.ts';
import type { Store } from '../store/store.ts';

/**
 * The options of an agent, or a function that gets the store and gives options or an agent that is not started. Runs
 * belong to the agent whose name they were started with; `main` if it has none.
 */
export type AgentSource =
  | AgentOptions
  | ((given: { readonly store: Store }) => AgentOptions | Agent | Promise<AgentOptions | Agent>);

/** An agent on this store, not started yet. */
export async function openAgent(source: AgentSource, store: Store): Promise<Agent> {
  const made: unknown = typeof source === 'function' ? await source({ store }) : source;
  if (typeof made !== 'object' || made === null) {
    throw new BridleError('WORKER_FAILED', `the options of an agent are wanted, or an agent, not ${kindOf(made)}`);
  }
  const agent = isAgent(made) ? made : createAgent(withStoreOption(made as AgentOptions, store));
  if (agent.store !== store) {
    throw new BridleError(
      'WORKER_FAILED',
      `the agent "${agent.name}" is not on the store of the worker: ` +
        'give a function, ({ store }) => createAgent({ store, … }), or its options without a store',
    );
  }
  return agent;
}

function withStoreOption(options: AgentOptions, store: Store): AgentOptions {
  return { ...options, store: options.store ?? store };
}

/** By what it can do: an agent may come from another copy of this package. */
function isAgent(made: object): made is Agent {
  const { start, resume } = made as { readonly start?: unknown; readonly resume?: unknown };
  return typeof start === 'function' && typeof resume === 'function';
}
