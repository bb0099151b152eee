/** The interface of a connection to an MCP server, and its options. */

import type { Media } from '../kernel/hooks/points/payloads.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { StandardSchema, ToolDeclaration } from '../kernel/tool.ts';
import type { McpLimits } from './protocol/mcp-limits.ts';
import type { McpTool } from './mcp-tool.ts';
import type { HeldTool, Pins } from './pins/pins.ts';

export interface McpCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Stores media from the result; returns the note that replaces them in the result. */
  readonly attach?: ((media: Media) => JsonValue) | undefined;
}

export interface ConnectOptions {
  readonly pins: Pins;
  /** Creates a validator from a JSON Schema. If it throws, the tool is left out. */
  readonly toSchema: (jsonSchema: JsonObject) => StandardSchema;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
  /** The delays before each attempt to reconnect. */
  readonly retryMs?: readonly number[] | undefined;
  /** Called when the server's tools have changed, or some are on hold. */
  readonly onToolsChanged?: ((connection: McpConnection, held: readonly HeldTool[]) => void) | undefined;
  readonly onLost?: ((how: string) => void) | undefined;
  readonly onReconnected?: (() => void) | undefined;
  /** Called for tools left out, configuration that matches no tool, and lists that can't be read. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export interface McpConnection {
  readonly server: string;
  /** The tools a model may see: those that the configuration does not hide, including tools on hold. */
  readonly tools: readonly McpTool[];
  /** All tools, including hidden ones, for the catalog. */
  readonly declarations: readonly ToolDeclaration[];
  readonly warnings: readonly string[];
  /** The process id of a stdio server. */
  readonly pid: number | undefined;
  /** Runs a tool. Rejects with the server's error text, or with the signal's reason if cancelled. */
  call(tool: string, args: JsonObject, options?: McpCallOptions): Promise<JsonValue>;
  /** Closes the connection and ends the child process. Safe to call twice. */
  close(): Promise<void>;
}
