/** The type of `args`: what all the tools that a rule can be about have in common. */

import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { anyMap, dyn, unionOfMaps, type FieldType, type MapType } from './cel-type.ts';
import { schemaType } from './schema-type.ts';

const typeCache = new WeakMap<ToolDeclaration, MapType>();

/** `complete` says whether `tools` are all the tools there can be. */
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
  const unspecified: FieldType = { type: dyn, presence: 'untold' };
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

/** Conditions get what the schema gives, so its output counts, where it tells one. */
function jsonSchemaOf(tool: ToolDeclaration): unknown {
  const json = tool.schema?.['~standard'].jsonSchema;
  const target = { target: 'draft-2020-12' };
  try {
    return json?.output === undefined ? json?.input(target) : json.output(target);
  } catch {
    // A schema that cannot be written as JSON Schema tells nothing.
    return undefined;
  }
}
