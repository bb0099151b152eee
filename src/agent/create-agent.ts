/** How an agent is made. */

import { confirmRunCommand } from '../policy/builders.ts';
import { Agent } from './agent.ts';
import { assemble } from './assemble.ts';
import type { AgentOptions } from './options.ts';
import { isKeptElsewhere, rulesOf } from './policy-input.ts';

/** Puts an agent together; nothing is opened before `start()`. */
export function createAgent(options: AgentOptions): Agent {
  return new Agent(assemble(options));
}

/** An agent for the machine it runs on: commands are asked about, or denied where nobody can be asked. */
createAgent.local = (options: AgentOptions): Agent => {
  const { policy } = options;
  return createAgent(
    isKeptElsewhere(policy) ? options : { ...options, policy: [rulesOf(policy), confirmRunCommand()] },
  );
};
