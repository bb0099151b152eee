/**
 * Follows guarded calls through everything that they start: other middleware may replace the tool, and the tool may run an
 * agent without a guard (B03). LangChain runs the calls of a model with `invoke` of its classes of tools, which uses `call`.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { TurnKey } from '../framework-session.ts';
import {
  type ImplicitConfig,
  type LangChain,
  type NativeCall,
  type NativeTool,
  requiredCopies,
  type ToolConfig,
} from './native.ts';

/** Where a call happens. */
export interface CallPlace extends TurnKey {
  readonly session: string;
  readonly agent: readonly string[];
  /** The attempt to run the graph: the same for all calls in it, also in subagents. */
  readonly run: object;
  /** False if other calls can pause at the same time. */
  readonly isOnlyCall: boolean;
}

export interface RunningTool {
  readonly guard: FrameworkGuard;
  readonly place: CallPlace;
  readonly tool: string;
}

/** Runs a tool that middleware has put in the place of the one that was decided. */
type RunOther = (tool: NativeTool, call: NativeCall, config: ToolConfig) => Promise<unknown>;

interface Scope {
  /** The task of the graph. */
  readonly task: unknown;
  /** The innermost guarded tool. */
  readonly running: RunningTool | undefined;
  /** Undefined while the tool itself runs. */
  readonly runOther: RunOther | undefined;
  readonly outer: Scope | undefined;
  isOver: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/** The guarded tool around the code that runs now. */
export function runningTool(): RunningTool | undefined {
  return scopes.getStore()?.running;
}

/** Runs other middleware between the decision about a call and its tool. */
export function whileDecided<T>(task: unknown, runOther: RunOther, run: () => T): T {
  const outer = scopes.getStore();
  return scopes.run({ task, running: outer?.running, runOther, outer, isOver: false }, run);
}

/** Runs a guarded tool. `run` gets a function to call when the tool has ended. */
export function whileRunning<T>(task: unknown, running: RunningTool, run: (end: () => void) => T): T {
  const scope: Scope = { task, running, runOther: undefined, outer: scopes.getStore(), isOver: false };
  return scopes.run(scope, run, () => (scope.isOver = true));
}

const watched = new WeakSet<object>();

/** Watches the classes of a tool and those of LangChain, of which the program may have loaded more than one copy. */
export function watchClasses(tool: object, langChain: LangChain): void {
  if (watched.has(tool)) return;
  const storage = langChain.AsyncLocalStorageProviderSingleton;
  const classes = [langChain, ...requiredCopies()].flatMap((copy) => [copy.StructuredTool, copy.RunnableToolLike]);
  const prototypes = [...classes.flatMap((each) => each?.prototype ?? []), ...prototypesOf(tool)];
  const taskFor = (config: ToolConfig | undefined): unknown => taskOf(config) ?? taskOf(storage.getRunnableConfig());
  for (const prototype of prototypes.filter((each) => !watched.has(each))) {
    watch(prototype, 'invoke', (scope, own, { input, config }) => {
      if (!isModelCall(input)) return undefined;
      const task = taskFor(config);
      const isOther = scope.runOther !== undefined && task === scope.task;
      return isOther ? scope.runOther(own, input, config ?? {}) : refuseUnguarded(scope, task, own.name);
    });
    // Reached without the function above, if a class has an `invoke` of its own.
    watch(prototype, 'call', (scope, own, { input, config }) =>
      isModelCall(input) || config?.toolCall !== undefined
        ? refuseUnguarded(scope, taskFor(config), own.name)
        : undefined,
    );
    watched.add(prototype);
  }
  watched.add(tool);
}

interface Start {
  readonly input: unknown;
  readonly config: ToolConfig | undefined;
}

/** Undefined if the tool may start. */
type Check = (scope: Scope, own: NativeTool, start: Start) => Promise<unknown> | undefined;
type Starter = (input: unknown, config?: ToolConfig, ...rest: readonly unknown[]) => unknown;

function watch(prototype: object, name: 'invoke' | 'call', check: Check): void {
  const original = Reflect.get(prototype, name) as Starter | undefined;
  if (original === undefined) return;
  function start(this: NativeTool, ...given: Parameters<Starter>): unknown {
    const scope = scopes.getStore();
    const [input, config] = given;
    return (scope && check(scope, this, { input, config })) ?? original?.apply(this, given);
  }
  const own = Object.getOwnPropertyDescriptor(prototype, name);
  Object.defineProperty(prototype, name, { configurable: true, writable: true, ...own, value: start });
}

/** The classes of a tool that have one of these functions of their own. */
function prototypesOf(tool: object): readonly object[] {
  const prototype = Object.getPrototypeOf(tool) as object | null;
  if (prototype === null || prototype === Object.prototype) return [];
  const isOwn = (name: string): boolean =>
    typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function';
  return [...(isOwn('invoke') || isOwn('call') ? [prototype] : []), ...prototypesOf(prototype)];
}

/** A tool that runs another tool by itself, without a model's call, is one call. */
function isModelCall(input: unknown): input is NativeCall {
  return (input as { type?: unknown } | undefined | null)?.type === 'tool_call';
}

function taskOf(config: ImplicitConfig | undefined): unknown {
  return config?.metadata?.['langgraph_checkpoint_ns'] ?? config?.configurable?.['checkpoint_ns'];
}

function refuseUnguarded(scope: Scope, task: unknown, name: unknown): Promise<never> | undefined {
  if (scope.runOther !== undefined && task === scope.task) {
    return refused(name, 'was put in the place of another tool and has a function invoke of its own');
  }
  if (scope.running === undefined || task === undefined) return undefined;
  for (let each: Scope | undefined = scope; each !== undefined; each = each.outer) {
    if (each.task === task && each.runOther === undefined && !each.isOver) return undefined;
  }
  return refused(name, 'belongs to an agent without a guard: add guardMiddleware to that agent');
}

function refused(name: unknown, why: string): Promise<never> {
  return Promise.reject(new BridleError('TOOL_INVALID', `${quoteName(String(name))} ${why}`));
}
