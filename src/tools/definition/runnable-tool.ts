/** A tool that can run: its declaration, its description for the model, and its implementation. */

import type { ToolCall } from '../../kernel/call.ts';
import type { RunContext } from '../../kernel/guard/calls/run-tool.ts';
import type { Interaction, Media, Question } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { StandardSchema, ToolDeclaration } from '../../kernel/tool.ts';

/** A JSON Schema for the arguments of a tool: an object schema. */
export type JsonSchema = JsonObject;

/** What a tool receives in addition to its arguments. */
export interface ToolContext extends RunContext {
  readonly call: ToolCall;
  /** The folder that relative paths are resolved against. */
  readonly cwd: string;
  /** Asks a person structured questions. */
  readonly ask: (questions: readonly Question[]) => Promise<Interaction>;
  /** Attaches media for the model. Put the returned note into the result where the media belongs. */
  readonly attach: (media: Media) => JsonValue;
  /** Reports output while the tool runs: each whole line becomes part of an event `tool_output`. */
  readonly output?: ((text: string) => void) | undefined;
}

/** Any tool that can run. `defineTool` infers the type of `args`. */
export interface RunnableTool extends Omit<ToolDeclaration, 'schema' | 'server'> {
  /** The description for the model. */
  readonly description?: string | undefined;
  /** A Standard Schema or a JSON Schema for the arguments. */
  readonly schema?: StandardSchema | JsonSchema | undefined;
  /** The JSON Schema shown to the model, if `schema` is a Standard Schema that cannot produce one. */
  readonly inputSchema?: JsonSchema | undefined;
  /** True if running it twice with the same idempotency key has the same effect as once. It may then be retried. */
  readonly idempotent?: boolean | undefined;
  /** Runs the tool. The result is JSON data; a thrown error is reported to the model. */
  run(args: never, context: ToolContext): unknown;
}

/** The definition of your own tool. The type of `args` is inferred from a Standard Schema. */
export interface ToolDefinition<Args> extends Omit<RunnableTool, 'schema' | 'run'> {
  readonly schema?: StandardSchema<Args> | JsonSchema | undefined;
  run(args: Args, context: ToolContext): unknown;
}

export function defineTool<Args = JsonObject>(tool: ToolDefinition<Args>): RunnableTool {
  return tool;
}

export const seconds = 1000;
export const kib = 1024;

/** Room for the note about what was cut. */
const noteBytes = 512;

/** How many bytes of output a tool may produce: its grant, minus room for a note. */
export function outputLimit({ grant }: Pick<ToolContext, 'grant'>, own: number): number {
  const bytes = Math.min(grant.outputBytes ?? own, own);
  return Math.max(bytes - noteBytes, Math.ceil(bytes / 2));
}
