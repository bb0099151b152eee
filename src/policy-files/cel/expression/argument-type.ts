/** Derives the type of `args` from the tools that a rule can apply to. */

import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { anyMap, dyn, unionOfMaps, type FieldType, type MapType } from './cel-type.ts';
import { schemaType } from './schema-type.ts';

const typeCache = new WeakMap<ToolDeclaration, MapType>();

/** `complete`: true if there can be no other tools. */
export function argumentType(tools: readonly ToolDeclaration[], complete: boolean): MapType {
  const types = tools.map(typeOfTool);
  if (!complete || types.length === 0) types.push(anyMap);
  return unionOfMaps(types);
}

function typeOfTool(tool: ToolDeclaration): MapType {
  const known = typeCache.get(tool);
  if (known !== undefined) return known;
  const type = withAliases(tool, declaredType(tool));
  if (Object.isFrozen(tool)) typeCache.set(tool, type);
  return type;
}

function declaredType(tool: ToolDeclaration): MapType {
  const schemaBased = schemaType(jsonSchemaOf(tool));
  if (schemaBased.kind === 'map') return schemaBased;
  if (tool.args === undefined) return anyMap;
  const unspecified: FieldType = { type: dyn, presence: 'unspecified' };
  return { kind: 'map', fields: new Map(tool.args.map((name) => [name, unspecified])), open: false };
}

function withAliases(tool: ToolDeclaration, type: MapType): MapType {
  const fields = new Map(type.fields);
  for (const [alias, canonical] of Object.entries(tool.aliases?.args ?? {})) {
    const field = type.fields.get(canonical);
    if (field !== undefined && !fields.has(alias)) fields.set(alias, field);
  }
  return { ...type, fields };
}

/** Conditions see the output of the schema, so its output type counts, if there is one. */
function jsonSchemaOf(tool: ToolDeclaration): unknown {
  const json = tool.schema?.['~standard'].jsonSchema;
  const target = { target: 'draft-2020-12' };
  try {
    return json?.output === undefined ? json?.input(target) : json.output(target);
  } catch {
    // The schema cannot be expressed as JSON Schema.
    return undefined;
  }
}
