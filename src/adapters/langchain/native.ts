/** The parts of LangChain that are used here, as structural types. */

import { BridleError, messageOf } from '../../kernel/errors.ts';

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

interface MessageClasses {
  readonly AIMessage: new (fields: object) => NativeMessage;
  readonly ToolMessage: new (fields: object) => NativeMessage;
}

/** The place where LangChain keeps callback handlers for everything that runs below a call. */
interface CallbackContext {
  readonly registerConfigureHook: (hook: { readonly contextVar: string }) => void;
  readonly setContextVariable: (name: string, value: object) => void;
}

/** LangChain's own classes of messages. The user's program has loaded them before. */
export const messageClasses = loadedOnce<MessageClasses>(
  // @ts-ignore: an optional peer, which is not installed where Bridle is built.
  () => import('@langchain/core/messages') as Promise<MessageClasses>,
);

export const callbackContext = loadedOnce<CallbackContext>(
  // @ts-ignore: an optional peer, which is not installed where Bridle is built.
  () => import('@langchain/core/context') as Promise<CallbackContext>,
);

interface ToolClasses {
  readonly StructuredTool: { readonly prototype: object };
  readonly RunnableToolLike: { readonly prototype: object };
  /** The config of the code that runs now. */
  readonly implicitConfig: () => ImplicitConfig | undefined;
}

export const toolClasses = loadedOnce<ToolClasses>(async () => {
  const [{ StructuredTool }, { RunnableToolLike }, { AsyncLocalStorageProviderSingleton: storage }] =
    (await Promise.all([
      // @ts-ignore: an optional peer, which is not installed where Bridle is built.
      import('@langchain/core/tools'),
      // @ts-ignore: an optional peer, which is not installed where Bridle is built.
      import('@langchain/core/runnables'),
      // @ts-ignore: an optional peer, which is not installed where Bridle is built.
      import('@langchain/core/singletons'),
    ])) as [ToolClasses, ToolClasses, ConfigStorage];
  return { StructuredTool, RunnableToolLike, implicitConfig: () => storage.getRunnableConfig() };
});

interface ConfigStorage {
  readonly AsyncLocalStorageProviderSingleton: { getRunnableConfig(): ImplicitConfig | undefined };
}

/** Loads a part of LangChain with its first use. Later calls get the same promise: to import it again takes long. */
function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw new BridleError('FRAMEWORK_UNSUPPORTED', `@langchain/core cannot be loaded: ${messageOf(error)}`);
    }));
}

/** The first value that is a text. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** True for pauses and handoffs, which LangGraph implements as errors. They must reach LangGraph. */
export function isBubbleUp(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { is_bubble_up?: unknown }).is_bubble_up === true;
}
