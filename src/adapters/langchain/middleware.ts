/** The middleware for `createAgent` of LangChain. */

import type { PointName } from '../../kernel/hooks/points/points.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion } from '../installed-version.ts';
import { modelPoints } from '../model-call.ts';
import { type GuardMiddlewareOptions, frameworkName, GuardedAgent } from './agent.ts';
import { guardModelRequest } from './model-calls.ts';
import type { ModelRequest, ToolRequest } from './native.ts';
import { guardToolCall } from './tool-calls.ts';
import { turnHooks, turnPoints } from './turn-hooks.ts';

/** Calls what comes after this middleware. */
type Next<R> = (request: never) => R | Promise<R>;

/** A middleware as `createMiddleware` of LangChain makes it. */
export interface GuardMiddleware {
  readonly name: 'bridle';
  readonly wrapToolCall: <R>(request: ToolRequest, handler: Next<R>) => Promise<R>;
  readonly wrapModelCall: <R>(request: ModelRequest, handler: Next<R>) => Promise<R>;
}

const testedVersions = { name: 'langchain', versions: ['1.5.14'] };
const callPoints: readonly PointName[] = ['preToolCall', 'postToolCall', 'onToolError', ...modelPoints];

/** Returns the middleware that guards an agent: `createAgent({ …, middleware: [guardMiddleware(guard)] })`. Put it first. */
export function guardMiddleware(guard: FrameworkGuard, options: GuardMiddlewareOptions = {}): GuardMiddleware {
  checkVersion(testedVersions);
  const agent = new GuardedAgent(guard, [...callPoints, ...turnPoints(guard)], options);
  guard.checkHooks(frameworkName);
  return {
    name: 'bridle',
    wrapToolCall: (request, handler) => guardToolCall(agent, request, handler as never) as Promise<never>,
    wrapModelCall: (request, handler) => guardModelRequest(agent, request, handler as never) as Promise<never>,
    ...turnHooks(agent),
  };
}
