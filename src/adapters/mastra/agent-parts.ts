/** The parts of a Mastra agent where Bridle attaches. Some are private in Mastra's own types. */

import type { AiModel } from '../ai-sdk/model-calls.ts';

/** An agent as `new Agent()` of Mastra makes it. */
export interface MastraAgent {
  readonly id: string;
  generate(...args: never[]): unknown;
  stream(...args: never[]): unknown;
}

export interface AgentParts extends MastraAgent {
  readonly durable?: unknown;
  readonly agent?: unknown;
  convertTools(options: RunOptions): Promise<Tools>;
  resolveModelConfig(model: unknown, requestContext?: object): Promise<AiModel>;
  getDefaultOptions(options: object): MaybePromise<CallOptions | undefined>;
  listTools(options?: object): Promise<Tools>;
  listAgents(options?: object): MaybePromise<Readonly<Record<string, AgentParts>>>;
  listResolvedInputProcessors(...args: unknown[]): Promise<readonly object[]>;
  listSuspendedRuns(options: object): Promise<{ readonly runs: readonly SuspendedRun[] }>;
  __fork(): AgentParts;
}

type MaybePromise<T> = T | Promise<T>;

export type Tools = Readonly<Record<string, MastraTool>>;

export interface MastraTool {
  readonly id?: string | undefined;
  readonly execute?: Execute | undefined;
  readonly parameters?: unknown;
  readonly inputSchema?: unknown;
  readonly mcpMetadata?: { readonly serverName?: string | undefined } | undefined;
}

export type Execute = (input: unknown, context: ToolContext) => unknown;

/** What Mastra passes to `execute`. A tool that Mastra has not converted yet gets the part about the call in `agent`. */
export interface ToolContext extends CallContext {
  readonly abortSignal?: AbortSignal | undefined;
  readonly agent?: CallContext | undefined;
}

export interface CallContext {
  readonly toolCallId?: string | undefined;
  readonly suspend?: ((payload: unknown, options?: unknown) => unknown) | undefined;
  readonly resumeData?: unknown;
  readonly suspendPayload?: unknown;
  readonly suspendedToolRunId?: string | undefined;
}

/** What Mastra passes to `convertTools`. */
export interface RunOptions {
  readonly runId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly requestContext?: object | undefined;
  readonly toolsets?: Readonly<Record<string, Tools>> | undefined;
  readonly model?: { readonly provider: string; readonly modelId: string } | undefined;
}

/** Options of `generate`, `stream` and those that resume. */
export interface CallOptions {
  readonly requestContext?: object | undefined;
  readonly toolCallId?: string | undefined;
  readonly prepareStep?: ((step: Step) => unknown) | undefined;
}

/** What `prepareStep` gets, and may change. */
export interface Step {
  readonly model?: unknown;
  readonly tools?: Tools | undefined;
  readonly requestContext?: object | undefined;
}

interface SuspendedRun {
  readonly runId: string;
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string; readonly args: unknown }[];
}
