/** `bridle/claude-agent-sdk`: guards the tools of agents that the Claude Agent SDK runs. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export { type ClaudeOptions, type GuardSettings } from './claude-options.ts';
export { guardOptions } from './guard-options.ts';
