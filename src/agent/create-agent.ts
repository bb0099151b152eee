/** How an agent is made. */

import { confirmRunCommand } from '../kernel/policy/rules/builders.ts';
import { Agent } from './agent.ts';
import { assemble } from './assembly/assemble.ts';
import type { AgentOptions } from './options/agent-options.ts';
import { isFilePolicy, inlineRulesOf } from './options/policy-input.ts';

/** Puts an agent together; nothing is opened before `start()`. */
export function createAgent(options: AgentOptions): Agent {
  return new Agent(assemble(options));
}

/** An agent for the machine it runs on: commands are asked about, or denied where nobody can be asked. */
createAgent.local = (options: AgentOptions): Agent => {
  const { policy } = options;
  return createAgent(
    isFilePolicy(policy) ? options : { ...options, policy: [inlineRulesOf(policy), confirmRunCommand()] },
  );
};
