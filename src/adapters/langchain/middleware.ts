/** The middleware for `createAgent` of LangChain. */

import type { PointName } from '../../kernel/hooks/points/points.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion } from '../installed-version.ts';
import { modelPoints } from '../model-call.ts';
import { AgentTools, type AgentToolsOptions, frameworkName } from './agent-tools.ts';
import type { PlaceOptions } from './call-place.ts';
import { ModelCalls } from './model-calls.ts';
import type { ModelRequest, ToolRequest } from './native.ts';
import { ToolCalls } from './tool-calls.ts';
import { TurnHooks } from './turn-hooks.ts';

export type GuardMiddlewareOptions = PlaceOptions & AgentToolsOptions;

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
  const turns = new TurnHooks(guard, options);
  const tools = new AgentTools(guard, [...callPoints, ...turns.points], options);
  guard.checkHooks(frameworkName);
  const toolCalls = new ToolCalls(guard, tools, options);
  const modelCalls = new ModelCalls(guard, tools, options);
  return {
    name: 'bridle',
    wrapToolCall: (request, handler) => toolCalls.run(request, handler as never) as Promise<never>,
    wrapModelCall: (request, handler) => modelCalls.run(request, handler as never) as Promise<never>,
    ...turns.hooks(),
  };
}
