/** The tools of a server as the rest of Bridle sees them: declared by the user's configuration, not by the server. */

import { didYouMean, quoteName } from '../kernel/names.ts';
import { messageOf } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { StandardSchema, ToolDeclaration } from '../kernel/tool.ts';
import { argumentsOf } from './pins/fingerprint.ts';
import { isHidden, type McpServerConfig } from './server/server-config.ts';
import type { McpToolDefinition, ToolList } from './server/tool-list.ts';

/** One tool of a server: what a model reads about it, and what the guard is told. */
export interface McpTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  readonly declaration: ToolDeclaration;
}

export interface McpToolSet {
  /** Those the configuration does not hide. */
  readonly tools: readonly McpTool[];
  /** Those of all tools. */
  readonly declarations: readonly ToolDeclaration[];
  readonly definitions: ReadonlyMap<string, McpToolDefinition>;
  readonly warnings: readonly string[];
}

/** Leaves out a tool whose schema cannot be used: its arguments could not be checked. */
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
      warnings.push(`tool ${quoteName(name)} is left out: its input schema cannot be used: ${messageOf(error)}`);
    }
  }
  for (const name of Object.keys(config.tiers ?? {})) {
    if (definitions.size > 0 && !definitions.has(name)) {
      warnings.push(`tiers name ${quoteName(name)}, which it does not have${didYouMean(name, definitions.keys())}`);
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
 * The server's title and hints are left out: a tool must not choose the name people know it by, nor its tier.
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
