/** What a connection to an MCP server offers, and what it is given. */

import type { Media } from '../kernel/hooks/points/payloads.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { StandardSchema, ToolDeclaration } from '../kernel/tool.ts';
import type { McpLimits } from './server/mcp-limits.ts';
import type { McpTool } from './mcp-tool.ts';
import type { HeldTool, Pins } from './pins/pins.ts';

export interface McpCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Takes media of the result, and returns the note that stands in their place. */
  readonly attach?: ((media: Media) => JsonValue) | undefined;
}

export interface ConnectOptions {
  readonly pins: Pins;
  /** Makes a validator of a JSON Schema; a tool for whose schema it throws is left out. */
  readonly toSchema: (jsonSchema: JsonObject) => StandardSchema;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
  /** Waits before the tries of one reconnect. */
  readonly retryMs?: readonly number[] | undefined;
  /** The server lists other tools than before, or something about them is held. */
  readonly onToolsChanged?: ((connection: McpConnection, held: readonly HeldTool[]) => void) | undefined;
  readonly onLost?: ((how: string) => void) | undefined;
  readonly onReconnected?: (() => void) | undefined;
  /** Tools that were left out, configuration that names none, lists that could not be read. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export interface McpConnection {
  readonly server: string;
  /** What a model may see: every tool that is not hidden by the configuration. Held ones are among them. */
  readonly tools: readonly McpTool[];
  /** Every tool, hidden ones too, for a catalog that knows the server's configuration. */
  readonly declarations: readonly ToolDeclaration[];
  readonly warnings: readonly string[];
  /** The child process, if there is one. */
  readonly pid: number | undefined;
  /** Runs a tool. Rejects with the server's words if it fails, with the signal's reason if it is cancelled. */
  call(tool: string, args: JsonObject, options?: McpCallOptions): Promise<JsonValue>;
  /** Ends the connection, and the child process for sure. Twice is once. */
  close(): Promise<void>;
}
