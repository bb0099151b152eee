import { confirmRunCommand } from '../kernel/policy/rules/builders.ts';
import { Agent } from './agent.ts';
import { assemble } from './assembly/assemble.ts';
import type { AgentOptions } from './options/agent-options.ts';
import { isFilePolicy, inlineRulesOf } from './options/policy-input.ts';

/** Creates an agent. Nothing is opened before `start()`. */
export function createAgent(options: AgentOptions): Agent {
  return new Agent(assemble(options));
}

/** Creates an agent that asks for approval before it runs a command, and denies the command if there is no approver. */
createAgent.local = (options: AgentOptions): Agent => {
  const { policy } = options;
  return createAgent(
    isFilePolicy(policy) ? options : { ...options, policy: [inlineRulesOf(policy), confirmRunCommand()] },
  );
};
