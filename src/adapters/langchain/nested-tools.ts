/**
 * Watches the tools that start below a guarded call: other middleware may have replaced the tool, and the tool may run an
 * agent without a guard (B03). LangChain runs the calls of a model with `invoke` of its classes of tools.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import {
  callbackContext,
  type ImplicitConfig,
  type NativeCall,
  type NativeTool,
  type ToolConfig,
  toolClasses,
} from './native.ts';

type Invoke = NonNullable<NativeTool['invoke']>;

/** Runs a tool that middleware has put in the place of the one that was decided. */
type RunOther = (tool: NativeTool, call: NativeCall, config: ToolConfig) => Promise<unknown>;

interface Scope {
  readonly task: unknown;
  /** True inside of a tool of an agent with a guard. */
  readonly isInTool: boolean;
  /** Undefined while the tool itself runs. */
  readonly runOther?: RunOther | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
/** The tasks of graphs in which a guarded tool runs now, in any agent, with the number of calls. */
const guardedTasks = new Map<unknown, number>();
const handlerName = 'bridle';

/** Runs other middleware between the decision about a call and its tool. */
export async function whileDecided<T>(
  { task, tool, runOther }: { readonly task: unknown; readonly tool: object; readonly runOther: RunOther },
  run: () => Promise<T>,
): Promise<T> {
  const { StructuredTool, RunnableToolLike, implicitConfig } = await toolClasses();
  // The program may have loaded another copy of LangChain than Bridle, such as the one for `require`.
  for (const prototype of [StructuredTool.prototype, RunnableToolLike.prototype, ...prototypesOf(tool)])
    watch(prototype, implicitConfig);
  return scopes.run({ task, isInTool: scopes.getStore()?.isInTool === true, runOther }, run);
}

/** Runs a guarded tool in a task of a graph. */
export async function whileGuarded<T>(task: unknown, run: () => Promise<T>): Promise<T> {
  const { registerConfigureHook, setContextVariable } = await callbackContext();
  // Both count for what this function calls only.
  registerConfigureHook({ contextVar: handlerName });
  setContextVariable(handlerName, watcher);
  guardedTasks.set(task, (guardedTasks.get(task) ?? 0) + 1);
  try {
    return await scopes.run({ task, isInTool: true }, run);
  } finally {
    const left = (guardedTasks.get(task) ?? 1) - 1;
    if (left > 0) guardedTasks.set(task, left);
    else guardedTasks.delete(task);
  }
}

const watched = new WeakSet<object>();

function watch(prototype: object, implicitConfig: () => ImplicitConfig | undefined): void {
  if (watched.has(prototype)) return;
  const own = Object.getOwnPropertyDescriptor(prototype, 'invoke');
  const original = Reflect.get(prototype, 'invoke') as Invoke;
  async function invoke(this: NativeTool, input: unknown, config: ToolConfig): Promise<unknown> {
    const scope = scopes.getStore();
    if (scope === undefined || !isModelCall(input)) return original.call(this, input, config);
    const task = taskOf(config) ?? taskOf(implicitConfig());
    if (scope.runOther !== undefined && task === scope.task) return scope.runOther(this, input, config);
    if (scope.isInTool) refuseUnguarded(task, this.name);
    return original.call(this, input, config);
  }
  Object.defineProperty(prototype, 'invoke', { configurable: true, writable: true, ...own, value: invoke });
  watched.add(prototype);
}

/** The classes of a tool that have a function `invoke` of their own. */
function prototypesOf(tool: object): readonly object[] {
  const prototype = Object.getPrototypeOf(tool) as object | null;
  if (prototype === null || prototype === Object.prototype) return [];
  const found = prototypesOf(prototype);
  return typeof Object.getOwnPropertyDescriptor(prototype, 'invoke')?.value === 'function'
    ? [prototype, ...found]
    : found;
}

/** A tool that runs another tool by itself, without a model's call, is one call. */
function isModelCall(input: unknown): input is NativeCall {
  return (input as { type?: unknown } | undefined | null)?.type === 'tool_call';
}

function taskOf(config: ImplicitConfig | undefined): unknown {
  return config?.metadata?.['langgraph_checkpoint_ns'] ?? config?.configurable?.['checkpoint_ns'];
}

function refuseUnguarded(task: unknown, name: unknown): void {
  if (task === undefined || guardedTasks.has(task)) return;
  throw new BridleError(
    'TOOL_INVALID',
    `${quoteName(String(name))} belongs to an agent without a guard: add guardMiddleware to that agent`,
  );
}

/** A callback handler, which also sees tools that have a function `invoke` of their own. An error in it stops the tool. */
const watcher = {
  name: handlerName,
  copy: (): object => watcher,
  awaitHandlers: true,
  raiseError: true,
  handleToolStart(...[, , , , , metadata, name, callId]: readonly unknown[]): void {
    if (callId !== undefined) refuseUnguarded(taskOf({ metadata } as ImplicitConfig), name);
  },
};
