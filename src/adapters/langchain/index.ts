/** `bridle/langchain`: guards agents of LangChain. */

export { createGuard, type FrameworkGuard, type FrameworkGuardOptions } from '../framework-guard.ts';
export { guardMiddleware, type GuardMiddleware, type GuardMiddlewareOptions } from './middleware.ts';
