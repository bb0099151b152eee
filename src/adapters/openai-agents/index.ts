/** `bridle/openai-agents`: guards agents and models of the OpenAI Agents SDK. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export type { OpenAiAgent, OpenAiModel, OpenAiModelProvider } from './agents-sdk.ts';
export { approveWithEdits, type Interruption, questionOf } from './approvals.ts';
export type { PausedQuestion } from '../paused-questions.ts';
export { type ContextOf, guardAgent, type GuardAgentOptions } from './guard-agent.ts';
export { guardModel, type GuardModelOptions } from './guard-model.ts';
