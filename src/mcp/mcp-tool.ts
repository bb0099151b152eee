/** A server's tools as declared to the rest of Bridle. The user's configuration sets their tier, never the server. */

import { didYouMean, quoteName } from '../kernel/names.ts';
import { messageOf } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { StandardSchema, ToolDeclaration } from '../kernel/tool.ts';
import { argumentsOf } from './pins/fingerprint.ts';
import { isHidden, type McpServerConfig } from './protocol/server-config.ts';
import type { McpToolDefinition, ToolList } from './protocol/tool-list.ts';

/** One tool of a server: its description for the model, and its declaration for the guard. */
export interface McpTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  readonly declaration: ToolDeclaration;
}

export interface McpToolSet {
  /** Tools that the configuration does not hide. */
  readonly tools: readonly McpTool[];
  /** The declarations of all tools, including hidden ones. */
  readonly declarations: readonly ToolDeclaration[];
  readonly definitions: ReadonlyMap<string, McpToolDefinition>;
  readonly warnings: readonly string[];
}

/** Leaves out tools with an unusable schema, because their arguments could not be validated. */
export function readMcpTools(
  config: McpServerConfig,
  { tools: found, warnings: known }: ToolList,
  toSchema: (jsonSchema: JsonObject) => StandardSchema,
): McpToolSet {
  const warnings = [...known];
  const tools: McpTool[] = [];
  const definitions = new Map<string, McpToolDefinition>();
  for (const definition of found) {
    const { name, description, inputSchema } = definition;
    try {
      const declaration = declare(config, definition, toSchema(inputSchema));
      tools.push({ name, description, inputSchema, declaration });
      definitions.set(name, definition);
    } catch (error) {
      warnings.push(`tool ${quoteName(name)} is left out: its input schema is invalid: ${messageOf(error)}`);
    }
  }
  for (const name of Object.keys(config.tiers ?? {})) {
    if (definitions.size > 0 && !definitions.has(name)) {
      warnings.push(
        `tiers names ${quoteName(name)}, but the server has no such tool${didYouMean(name, definitions.keys())}`,
      );
    }
  }
  return {
    tools: tools.filter(({ name }) => !isHidden(config, name)),
    declarations: tools.map(({ declaration }) => declaration),
    definitions,
    warnings,
  };
}

/**
 * Paths are added by the catalog, from the server's configuration.
 * The server's title and hints are ignored: a server must not choose the name people see, nor the tier.
 */
function declare(
  { name: server, tiers = {} }: McpServerConfig,
  tool: McpToolDefinition,
  schema: StandardSchema,
): ToolDeclaration {
  const { name, inputSchema } = tool;
  return {
    name,
    server,
    schema,
    ...(Object.hasOwn(tiers, name) && { tier: tiers[name] }),
    ...(inputSchema['properties'] !== undefined && { args: argumentsOf(inputSchema) }),
  };
}
