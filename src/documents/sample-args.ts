/** Args that fit a tool, for calls that nobody has made: plain values where only their kind matters. */

import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { ToolDeclaration } from '../tool.ts';

/** What an argument is to its tool, as far as it declares it. */
export type ArgumentRole = 'command' | 'path' | 'url' | 'plain';

const samples: Readonly<Record<ArgumentRole, string>> = {
  command: 'true',
  path: 'example.txt',
  url: 'https://example.com/',
  plain: 'example',
};
const deepest = 8;

/** The names of the top-level arguments with a role. */
export function argumentsWith(role: ArgumentRole, tool: ToolDeclaration): readonly string[] {
  const { touches = {}, paths = [], commands = [] } = tool;
  const named = {
    command: [...(touches.bash ?? []), ...commands],
    path: [...(touches.writes ?? []), ...(touches.reads ?? []), ...paths],
    url: touches.urls ?? [],
    plain: [],
  }[role];
  return [...new Set(named)].filter((name) => /^[^.[\]]+$/.test(name) && name !== touches.folder);
}

/** Args with everything the tool must be given. */
export function sampleArgs(tool: ToolDeclaration): JsonObject {
  const schema = schemaOf(tool);
  if (schema !== undefined) {
    const args = sampleOf(schema, { tool, depth: 0 });
    return isJsonObject(args) ? args : {};
  }
  const roles = ['command', 'url', 'path'] as const;
  return Object.fromEntries(roles.flatMap((role) => argumentsWith(role, tool).map((name) => [name, samples[role]])));
}

/** The JSON Schema of a tool's args, where it tells one. */
function schemaOf(tool: ToolDeclaration): JsonObject | undefined {
  try {
    const written = tool.schema?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
    return isJsonObject(written as JsonValue) ? (written as JsonObject) : undefined;
  } catch {
    // A schema that cannot be written as JSON Schema tells nothing.
    return undefined;
  }
}

interface Where {
  readonly tool: ToolDeclaration;
  readonly depth: number;
  readonly name?: string;
}

function sampleOf(schema: JsonValue, where: Where): JsonValue {
  if (!isJsonObject(schema) || where.depth > deepest) return {};
  for (const key of ['const', 'default'] as const) if (schema[key] !== undefined) return schema[key];
  const { enum: choices, examples, anyOf, oneOf, allOf } = schema;
  for (const list of [choices, examples]) if (Array.isArray(list) && list[0] !== undefined) return list[0] as JsonValue;
  for (const list of [anyOf, oneOf]) {
    if (Array.isArray(list) && list[0] !== undefined) {
      return sampleOf({ ...schema, anyOf: [], oneOf: [], ...(list[0] as JsonObject) }, deeper(where));
    }
  }
  if (Array.isArray(allOf)) return sampleOf(mergedSchema(schema, allOf), deeper(where));
  return sampleOfType(schema, where);
}

function sampleOfType(schema: JsonObject, where: Where): JsonValue {
  const { type, properties, minItems, items } = schema;
  const first = Array.isArray(type) ? (type as readonly JsonValue[])[0] : type;
  switch (first ?? (properties === undefined ? undefined : 'object')) {
    case 'object':
      return sampleObject(schema, where);
    case 'array':
      return Array.from({ length: Number(minItems ?? 0) }, () => sampleOf(items ?? {}, deeper(where)));
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? schema['exclusiveMaximum'] ?? 1);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return sampleText(schema, where);
  }
}

function sampleText({ minLength, format }: JsonObject, { tool, name = '' }: Where): string {
  const isUrl = format === 'uri' || format === 'url';
  const role = (['command', 'url', 'path'] as const).find((each) => argumentsWith(each, tool).includes(name));
  const text = samples[role ?? (isUrl ? 'url' : 'plain')];
  return text.padEnd(Number(minLength ?? 0), 'x');
}

function sampleObject({ properties, required }: JsonObject, where: Where): JsonObject {
  const known = properties !== undefined && isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? (required as readonly JsonValue[]).map(String) : [];
  const entries = names.map((name): [string, JsonValue] => [
    name,
    sampleOf(known[name] ?? { type: 'string' }, { ...deeper(where), name }),
  ]);
  return Object.fromEntries(entries);
}

function mergedSchema(schema: JsonObject, parts: readonly JsonValue[]): JsonObject {
  const { allOf: _, ...own } = schema;
  return Object.assign({}, own, ...parts.filter(isJsonObject)) as JsonObject;
}

function deeper(where: Where): Where {
  return { ...where, depth: where.depth + 1 };
}
