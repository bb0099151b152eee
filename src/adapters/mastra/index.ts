/** `bridle/mastra`: guards agents of Mastra. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export { type MastraAgent } from './agent-parts.ts';
export { guardAgent, type GuardAgentOptions } from './guard-agent.ts';
