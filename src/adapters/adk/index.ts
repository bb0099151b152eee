/** `bridle/adk`: guards agents of the Agent Development Kit. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export { type GuardPlugin, guardPlugin } from './guard-plugin.ts';
export type { GuardPluginOptions } from './guarded-runner.ts';
