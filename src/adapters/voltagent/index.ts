/** `bridle/voltagent`: guards agents of VoltAgent. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export { type VoltAgent } from './agent-parts.ts';
export { type GuardAgentOptions } from './agent-run.ts';
export { guardAgent } from './guard-agent.ts';
