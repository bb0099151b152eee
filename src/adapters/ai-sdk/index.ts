/** `bridle/ai-sdk`: guards tools and models of the Vercel AI SDK. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export { guardModel, type GuardModelOptions } from './guard-model.ts';
export { guardTools, type GuardToolsOptions } from './guard-tools.ts';
export { type AiModel } from './model-calls.ts';
export { type AiTool } from './tool-calls.ts';
