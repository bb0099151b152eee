/** The parts of the OpenAI Agents SDK that the adapter uses. Nothing of the SDK is loaded. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';

/** An `Agent`. */
export interface OpenAiAgent {
  readonly name: string;
  model: unknown;
  handoffs: unknown[];
  readonly tools: readonly unknown[];
  readonly mcpServers: readonly unknown[];
  // Parameters are compared bivariantly in methods, so agents with a typed context are accepted.
  getAllTools(runContext: never, tracingParent?: never): Promise<unknown[]>;
  getMcpTools(runContext: never, tracingParent?: never): Promise<unknown[]>;
  getEnabledHandoffs(runContext: never): Promise<unknown[]>;
  clone(config: never): unknown;
}

/** The same, for the adapter. */
export interface NativeAgent extends OpenAiAgent {
  getAllTools(runContext: RunContext, tracingParent?: unknown): Promise<NativeTool[]>;
  getMcpTools(runContext: RunContext, tracingParent?: unknown): Promise<NativeTool[]>;
  getEnabledHandoffs(runContext: RunContext): Promise<NativeHandoff[]>;
  clone(config: object): NativeAgent;
  readonly prompt?: unknown;
  readonly mcpConfig?: { readonly includeServerInToolNames?: boolean } | undefined;
}

/** The context of a run. Agents that run inside a tool may share it. */
export interface RunContext {
  readonly context?: unknown;
  isToolApproved(call: { readonly toolName: string; readonly callId: string }): boolean | undefined;
  getRejectionMessage(toolName: string, callId: string): string | undefined;
  approveTool(item: object): void;
}

export interface NativeTool {
  readonly type: string;
  readonly name: string;
  readonly parameters?: object | undefined;
  readonly providerData?: { readonly type?: string | undefined } | undefined;
  readonly needsApproval?: unknown;
  readonly invoke: (runContext: RunContext, input: string, details?: CallDetails) => Promise<unknown>;
}

export interface CallDetails {
  readonly toolCall?: { readonly callId?: string | undefined; arguments?: string | undefined } | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface NativeHandoff {
  readonly agent?: OpenAiAgent | undefined;
  readonly inputJsonSchema: object;
  onInvokeHandoff(runContext: RunContext, args: string): Promise<unknown>;
}

export interface McpServer {
  readonly name: string;
  listTools(): Promise<readonly { readonly name: string }[]>;
}

/** A `Model`. */
export interface OpenAiModel {
  getResponse(request: never): Promise<unknown>;
  getStreamedResponse(request: never): AsyncIterable<unknown>;
}

/** A `ModelProvider`. */
export interface OpenAiModelProvider {
  getModel(modelName?: string): unknown;
}

export interface ModelRequest {
  readonly systemInstructions?: string | undefined;
  readonly input: string | readonly ModelItem[];
  readonly modelSettings?: Readonly<Record<string, unknown>> | undefined;
  readonly tools?:
    | readonly {
        readonly type: string;
        readonly name: string;
        readonly description?: string | undefined;
        readonly parameters?: object | undefined;
      }[]
    | undefined;
  readonly handoffs?: readonly { readonly inputJsonSchema?: object | undefined }[] | undefined;
}

/** An item of the history: a message, a call, a result… */
export interface ModelItem {
  readonly type?: string | undefined;
  readonly role?: string | undefined;
  readonly content?: unknown;
  readonly callId?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
}

export interface ModelResponse {
  readonly output: readonly ModelItem[];
  readonly usage: {
    readonly inputTokens?: number | undefined;
    readonly outputTokens?: number | undefined;
    readonly inputTokensDetails?: unknown;
  };
  readonly responseId?: string | undefined;
}

/** An event of a streamed answer. The last one, `response_done`, has the whole answer. */
export interface StreamEvent {
  readonly type: string;
  readonly delta?: string | undefined;
  readonly response?: (Omit<ModelResponse, 'responseId'> & { readonly id?: string | undefined }) | undefined;
}

export const frameworkName = 'openai-agents';
export const testedVersions = { name: '@openai/agents', versions: ['0.20.0'] };

/** The args that a model wrote; undefined if they are not a JSON object. */
export function argsOf(input: string): JsonObject | undefined {
  try {
    const args = JSON.parse(input) as JsonValue;
    return isJsonObject(args) ? args : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
