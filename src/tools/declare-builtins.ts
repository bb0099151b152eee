/** Declarations of the built-in tools: their names, what they touch, and their aliases. */

import { requireJson } from '../kernel/json.ts';
import type { StandardSchema, ToolDeclaration } from '../kernel/tool.ts';
import { type BuiltinTool, builtinToolTable } from './builtin-tools.ts';
import { toStandardSchema } from './json-schema/standard-schema.ts';
import type { JsonSchema } from './definition/runnable-tool.ts';

/** The declaration that rules and calls are checked against. */
export function declarationOf(tool: BuiltinTool): Omit<ToolDeclaration, 'schema' | 'server'> {
  const { name, tier, schema, touches = {}, aliases, grant } = tool;
  const { reads = [], writes = [], folder, bash } = touches;
  const paths = [...new Set([...reads, ...writes, ...(folder === undefined ? [] : [folder])])];
  return {
    name,
    tier,
    args: Object.keys(schema.properties),
    paths: paths.length === 0 ? undefined : paths,
    commands: bash,
    touches: tool.touches,
    aliases,
    grant,
  };
}

/** Without the tools that need a provider. Deeply frozen, because they are shared. */
export const builtinTools = requireJson(
  builtinToolTable.filter(({ provider }) => provider === undefined).map(declarationOf),
  { bytes: 65_536, depth: 8 },
  'builtinTools',
) as readonly unknown[] as readonly ToolDeclaration[];

/** Tools of coding agents that only change what the agent shows or plans, such as a list of todos, have this name. */
export const updatePlanTool: ToolDeclaration = Object.freeze({
  name: 'update_plan',
  tier: 'observe',
  args: ['name', 'input'],
  touches: {},
});

/** With their schemas, and with the tools that only some agents have. */
export function declareBuiltins(): readonly ToolDeclaration[] {
  const builtins = builtinToolTable.map((tool) => ({ ...declarationOf(tool), schema: lazySchema(tool.schema) }));
  return [...builtins, updatePlanTool];
}

/** Parses the schema on first use: most calls use one tool. */
function lazySchema(schema: JsonSchema): StandardSchema {
  let read: StandardSchema | undefined;
  const written = (): JsonSchema => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'bridle',
      validate: (value) => (read ??= toStandardSchema(schema))['~standard'].validate(value),
      jsonSchema: { input: written, output: written },
    },
  };
}
