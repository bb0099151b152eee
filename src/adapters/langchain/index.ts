/** `bridle/langchain`: guards agents of LangChain. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export type { GuardMiddlewareOptions } from './agent.ts';
export { guardMiddleware, type GuardMiddleware } from './middleware.ts';
