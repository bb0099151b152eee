/** What the adapter uses of `@google/adk`, so that nothing of it is loaded here. */

import type { JsonObject } from '../../kernel/json.ts';

/** A part of a message: `text`, `functionCall`, `functionResponse`… */
export interface AdkPart {
  readonly text?: string | undefined;
  readonly thought?: boolean | undefined;
  readonly functionCall?: AdkFunctionCall | undefined;
  readonly functionResponse?: AdkFunctionResponse | undefined;
}

export interface AdkFunctionCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: JsonObject | undefined;
}

export interface AdkFunctionResponse {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly response?: unknown;
}

export interface AdkContent {
  readonly role?: string | undefined;
  readonly parts?: readonly AdkPart[] | undefined;
}

export interface AdkEvent {
  readonly id: string;
  readonly invocationId: string;
  readonly author?: string | undefined;
  content?: AdkContent | undefined;
  longRunningToolIds?: readonly string[] | undefined;
  readonly actions: { readonly requestedToolConfirmations?: Readonly<Record<string, object>> | undefined };
}

export interface AdkSession {
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  readonly events: readonly AdkEvent[];
}

export interface AdkAgent {
  readonly name: string;
  readonly parentAgent?: AdkAgent | undefined;
  readonly rootAgent: AdkAgent;
  readonly subAgents?: readonly AdkAgent[] | undefined;
  /** Tools, toolsets and functions. Only agents with a model have them. */
  readonly tools?: readonly unknown[] | undefined;
  readonly codeExecutor?: unknown;
  readonly canonicalModel?: AdkModel;
  canonicalTools?(context?: unknown): Promise<readonly AdkTool[]>;
  runAsync: (context: InvocationContext) => AsyncGenerator<unknown, void, undefined>;
}

/** A node of a workflow. */
export interface AdkNode extends Partial<AdkAgent> {
  /** The tool of a ToolNode. */
  readonly tool?: unknown;
}

export interface AdkModel {
  readonly model: string;
  generateContentAsync(request: AdkRequest, ...rest: unknown[]): AsyncGenerator<AdkResponse, void, undefined>;
}

export interface AdkRequest {
  readonly contents: readonly AdkContent[];
  readonly toolsDict: Readonly<Record<string, AdkTool>>;
  readonly config?: AdkConfig | undefined;
}

interface AdkConfig {
  readonly systemInstruction?: unknown;
  readonly tools?: readonly AdkToolEntry[] | undefined;
}

/** Functions, or a tool that the provider runs. */
export interface AdkToolEntry {
  readonly functionDeclarations?: readonly FunctionDeclaration[] | undefined;
}

interface FunctionDeclaration {
  readonly name: string;
  readonly description?: string | undefined;
  /** A schema of Gemini, whose types are in upper case. */
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
}

export interface AdkResponse {
  readonly content?: AdkContent | undefined;
  readonly partial?: boolean | undefined;
  readonly finishReason?: string | undefined;
  readonly usageMetadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface AdkTool {
  readonly name: string;
  /** A schema of zod, or one of Gemini. */
  readonly parameters?: unknown;
  /** The agent behind an AgentTool. */
  readonly agent?: AdkAgent | undefined;
  /** What an MCP server says about its tool. */
  readonly mcpTool?: { readonly inputSchema?: unknown } | undefined;
  readonly originalName?: string | undefined;
  readonly mcpSessionManager?: object | undefined;
  _getDeclaration?(): FunctionDeclaration | undefined;
  checkRequireConfirmation?: (args: unknown, context: unknown) => Promise<boolean>;
  runAsync: (request: ToolRequest) => Promise<unknown>;
}

export interface ToolRequest {
  readonly args: JsonObject;
  readonly toolContext: ToolContext;
}

/** What a person answered. */
export interface ToolConfirmation {
  readonly confirmed: unknown;
  readonly payload?: unknown;
}

export interface ToolContext {
  readonly functionCallId?: string | undefined;
  readonly toolConfirmation?: ToolConfirmation | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly invocationContext: InvocationContext;
  requestConfirmation(request: { readonly hint: string; readonly payload: JsonObject }): void;
}

export interface InvocationContext {
  readonly invocationId: string;
  readonly session: AdkSession;
  readonly agent?: AdkAgent | undefined;
  readonly liveRequestQueue?: unknown;
  readonly pluginManager: PluginManager;
  readonly sessionService?: {
    appendEvent(request: { readonly session: AdkSession; readonly event: AdkEvent }): Promise<unknown>;
  };
  endInvocation: boolean;
}

interface PluginManager {
  getPlugin(name: string): unknown;
  registerPlugin(plugin: object): void;
}
