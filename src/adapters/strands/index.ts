/** `bridle/strands`: guards agents of Strands. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export { type GuardPlugin, guardPlugin, type GuardPluginOptions } from './guard-plugin.ts';
