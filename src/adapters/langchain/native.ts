/** The parts of LangChain that are used here, as structural types. */

import type { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';

export interface NativePart {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface NativeCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: unknown;
  readonly type?: string | undefined;
}

/** A message: of the system, a person, the model or a tool. */
export interface NativeMessage {
  getType(): string;
  readonly text: string;
  content: string | readonly NativePart[];
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly contentBlocks?: readonly NativePart[] | undefined;
  readonly tool_call_id?: string | undefined;
  readonly status?: string | undefined;
  tool_calls?: readonly NativeCall[] | undefined;
  readonly additional_kwargs?: Readonly<Record<string, unknown>> | undefined;
  readonly response_metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly usage_metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool. One that the provider runs is a plain object without `invoke`. */
export interface NativeTool {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly description?: unknown;
  readonly schema?: unknown;
  readonly function?: { readonly name?: unknown } | undefined;
  invoke?(call: unknown, config: ToolConfig): Promise<unknown>;
}

/** What LangGraph says about the task in which something runs. */
export interface ImplicitConfig {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

/** What LangChain passes to a tool next to the call. */
export interface ToolConfig extends ImplicitConfig {
  readonly signal?: AbortSignal | undefined;
  /** The call of a model, if the tool is called with its args alone. */
  readonly toolCall?: unknown;
}

interface Configurable {
  readonly thread_id?: unknown;
  readonly checkpoint_ns?: unknown;
  /** The answers by interrupt, if the user has named the interrupts. */
  readonly __pregel_resume_map?: Readonly<Record<string, unknown>> | undefined;
  /** The answers to questions of this task. */
  readonly __pregel_scratchpad?: { readonly resume?: readonly unknown[] | undefined } | undefined;
}

export interface Runtime {
  readonly configurable?: Configurable | undefined;
  /** There is one for each attempt to run the graph. */
  readonly writer?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly interrupt?: ((value: never) => unknown) | undefined;
}

/** What `wrapToolCall` gets. */
export interface ToolRequest {
  readonly toolCall: NativeCall;
  readonly tool?: unknown;
  readonly state: { readonly messages: readonly unknown[] };
  readonly runtime: Runtime;
}

/** What `wrapModelCall` gets. */
export interface ModelRequest {
  readonly model: unknown;
  readonly messages: readonly unknown[];
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly modelSettings?: Readonly<Record<string, unknown>> | undefined;
  readonly state: { readonly messages: readonly unknown[] };
  readonly runtime: Runtime;
}

/** LangChain's own classes and the storage in which it keeps the config of the code that runs now. */
export interface LangChain {
  readonly AIMessage: new (fields: object) => NativeMessage;
  readonly ToolMessage: new (fields: object) => NativeMessage;
  readonly StructuredTool: { readonly prototype: object };
  readonly RunnableToolLike: { readonly prototype: object };
  readonly AsyncLocalStorageProviderSingleton: {
    getRunnableConfig(): ImplicitConfig | undefined;
    getInstance(): Pick<AsyncLocalStorage<unknown>, 'getStore' | 'run'>;
  };
}

let loaded: LangChain | undefined;

/** The parts of LangChain that the user's program has loaded before. Only the first call returns a promise. */
export function langChain(): MaybePromise<LangChain> {
  return loaded ?? loadLangChain();
}

async function loadLangChain(): Promise<LangChain> {
  try {
    const parts = (await Promise.all([
      // @ts-ignore: an optional peer, which is not installed where Bridle is built.
      import('@langchain/core/messages'),
      // @ts-ignore: an optional peer, which is not installed where Bridle is built.
      import('@langchain/core/tools'),
      // @ts-ignore: an optional peer, which is not installed where Bridle is built.
      import('@langchain/core/runnables'),
      // @ts-ignore: an optional peer, which is not installed where Bridle is built.
      import('@langchain/core/singletons'),
    ])) as readonly object[];
    return (loaded = Object.assign({}, ...parts) as LangChain);
  } catch (cause) {
    throw new BridleError('FRAMEWORK_UNSUPPORTED', `@langchain/core cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

/** What the program has loaded of LangChain with `require`: its classes are not those of `import`. */
export function requiredCopies(): readonly Partial<LangChain>[] {
  const require = createRequire(import.meta.url);
  return Object.keys(require.cache)
    .filter((path) => /[\\/]@langchain[\\/]core[\\/]dist[\\/](?:tools|runnables)[\\/]index\.cjs$/.test(path))
    .map((path) => require.cache[path]?.exports as Partial<LangChain>);
}

/** The first value that is a text. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** True for pauses and handoffs, which LangGraph implements as errors. They must reach LangGraph. */
export function isBubbleUp(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { is_bubble_up?: unknown }).is_bubble_up === true;
}
