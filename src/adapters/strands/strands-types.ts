/** What the adapter uses of `@strands-agents/sdk`, so that nothing of it is loaded here. */

import type { JsonObject } from '../../kernel/json.ts';

/** An agent of Strands. Fields that begin with an underscore are checked before they are used. */
export interface StrandsAgent {
  readonly name: string;
  readonly sessionId: string;
  readonly sessionManager?: unknown;
  readonly tools: readonly StrandsTool[];
  readonly toolRegistry: { resolve: (name: string) => StrandsTool };
  readonly _middlewareRegistry?: MiddlewareRegistry | undefined;
  readonly _interruptState?: InterruptState | undefined;
}

export interface StrandsTool {
  readonly name: string;
  readonly toolSpec: ToolSpec;
  /** The schema of a tool that was made with zod. */
  readonly _inputSchema?: { readonly type?: unknown } | undefined;
  /** The agent behind a tool that `asTool` made. */
  readonly agent?: unknown;
  readonly mcpClient?: McpClient | undefined;
  stream(context: ToolContext): AsyncGenerator<unknown, ToolResult, undefined>;
}

interface ToolSpec {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

export interface McpClient {
  readonly _prefix?: string | undefined;
  /** The names that the server itself gives its tools. */
  readonly _serverToolNames?: WeakMap<object, string> | undefined;
}

interface ToolUse {
  readonly name: string;
  readonly toolUseId: string;
  readonly input: unknown;
}

interface ToolContext {
  readonly toolUse: ToolUse;
  readonly invocationState?: object | undefined;
  readonly cancelSignal: AbortSignal;
}

/** Asks a person: throws the first time, and returns the answer when the agent is resumed. */
export type RaiseInterrupt = (question: { readonly name: string; readonly reason?: JsonObject }) => {
  readonly response: unknown;
};

interface InterruptState {
  readonly activated: boolean;
  readonly interrupts: Record<string, object | undefined>;
  registerInterrupt(interrupt: unknown): unknown;
}

export interface MiddlewareRegistry {
  compose: (stage: { readonly name: string }, terminal: AnyNext) => AnyNext;
  invoke(stage: { readonly name: string }, context: never, terminal: AnyNext): Step<unknown>;
}

export type Step<Result> = AsyncGenerator<unknown, Result, undefined>;
/** What follows in a stage, whatever stage it is. */
export type AnyNext = Next<never, unknown>;
export type Next<Context, Result> = (context: Context) => Step<Result>;

/** The context of the stage `executeTool`. */
export interface ToolStage {
  readonly agent: StrandsAgent;
  readonly tool: StrandsTool | undefined;
  readonly toolUse: ToolUse;
  readonly invocationState?: object | undefined;
  readonly cancelSignal: AbortSignal;
  readonly interrupt?: RaiseInterrupt | undefined;
}

/** A block of a tool's result. Its class can read the same JSON again. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly status: 'success' | 'error';
  readonly content: readonly { toJSON(): JsonObject }[];
  readonly error?: Error | undefined;
}

/** The context of the stage `agentStream`: one run of the agent. */
export interface RunStage {
  readonly args: unknown;
  readonly options?: { readonly invocationState?: object | undefined } | undefined;
}

/** The context of the stage `invokeModel`. */
export interface ModelStage {
  readonly model: { readonly modelId?: string | undefined; getConfig?(): { readonly modelId?: string | undefined } };
  readonly messages: readonly StrandsMessage[];
  readonly systemPrompt?: string | readonly { toJSON(): JsonObject }[] | undefined;
  readonly toolSpecs: readonly ToolSpec[];
}

export interface StrandsMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly { toJSON(): JsonObject }[];
  toJSON(): MessageData;
}

export interface MessageData {
  readonly role: string;
  readonly content: readonly JsonObject[];
  readonly [field: string]: unknown;
}

/** What a model call gives. */
export interface ModelResult {
  readonly message: StrandsMessage;
  readonly stopReason: string;
  readonly metadata?: { readonly usage?: Readonly<Record<string, number | undefined>> | undefined } | undefined;
}

/** An event of the stream of a model. */
export interface ModelEvent {
  readonly type: string;
  readonly agent?: unknown;
  readonly invocationState?: unknown;
  readonly event?: { readonly type: string } | undefined;
  readonly contentBlock?: { toJSON(): JsonObject } | undefined;
}
