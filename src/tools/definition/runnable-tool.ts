/** A tool that can run: what is declared about it, what the model reads about it, and the work itself. */

import type { ToolCall } from '../../kernel/call.ts';
import type { RunContext } from '../../kernel/guard/calls/run-tool.ts';
import type { Interaction, Media, Question } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { StandardSchema, ToolDeclaration } from '../../kernel/tool.ts';

/** A JSON Schema for the arguments of a tool: an object schema. */
export type JsonSchema = JsonObject;

/** What a tool gets beside its arguments. */
export interface ToolContext extends RunContext {
  readonly call: ToolCall;
  /** The folder relative paths start from. */
  readonly cwd: string;
  /** Puts structured questions to a person. */
  readonly ask: (questions: readonly Question[]) => Promise<Interaction>;
  /** Hands media to the model beside the result; put the returned note where the media belongs in the result. */
  readonly attach: (media: Media) => JsonValue;
}

/** Any tool that can run; `defineTool` gives `args` their type. */
export interface RunnableTool extends Omit<ToolDeclaration, 'schema' | 'server'> {
  /** What the model reads. */
  readonly description?: string | undefined;
  /** A Standard Schema or a JSON Schema for the arguments. */
  readonly schema?: StandardSchema | JsonSchema | undefined;
  /** The JSON Schema the model is shown, where `schema` is a Standard Schema that cannot tell it. */
  readonly inputSchema?: JsonSchema | undefined;
  /** True if running it twice with the same idempotency key does what running it once does: then it may be repeated. */
  readonly idempotent?: boolean | undefined;
  /** Does the work. A result is JSON data; a throw is told to the model as an error. */
  run(args: never, context: ToolContext): unknown;
}

/** A tool of your own, as it is written down: the type of `args` follows from a Standard Schema. */
export interface ToolDefinition<Args> extends Omit<RunnableTool, 'schema' | 'run'> {
  readonly schema?: StandardSchema<Args> | JsonSchema | undefined;
  run(args: Args, context: ToolContext): unknown;
}

export function defineTool<Args = JsonObject>(tool: ToolDefinition<Args>): RunnableTool {
  return tool;
}
