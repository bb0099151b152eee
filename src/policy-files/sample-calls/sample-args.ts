/** Generates args for a sample call of a tool. */

import { type JsonObject, type JsonValue, isJsonObject } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';

/** What a tool uses an argument for, according to its declaration. */
export type ArgumentRole = 'command' | 'path' | 'url' | 'plain';

const samples: Readonly<Record<ArgumentRole, string>> = {
  command: 'true',
  path: 'example.txt',
  url: 'https://example.com/',
  plain: 'example',
};
const maxSampleDepth = 8;

/** The top-level arguments with a role. */
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

/** Args with all required arguments. */
export function sampleArgs(tool: ToolDeclaration): JsonObject {
  const schema = schemaOf(tool);
  if (schema !== undefined) {
    const args = sampleValue(schema, { tool, depth: 0 });
    return isJsonObject(args) ? args : {};
  }
  const roles = ['command', 'url', 'path'] as const;
  return Object.fromEntries(roles.flatMap((role) => argumentsWith(role, tool).map((name) => [name, samples[role]])));
}

/** The JSON Schema of a tool's args, if it has one. */
function schemaOf(tool: ToolDeclaration): JsonObject | undefined {
  try {
    const written = tool.schema?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
    return isJsonObject(written as JsonValue) ? (written as JsonObject) : undefined;
  } catch {
    // The schema cannot be expressed as JSON Schema.
    return undefined;
  }
}

interface SampleContext {
  readonly tool: ToolDeclaration;
  readonly depth: number;
  readonly name?: string;
}

function sampleValue(schema: JsonValue, context: SampleContext): JsonValue {
  if (!isJsonObject(schema) || context.depth > maxSampleDepth) return {};
  for (const key of ['const', 'default'] as const) if (schema[key] !== undefined) return schema[key];
  const { enum: choices, examples, anyOf, oneOf, allOf } = schema;
  for (const list of [choices, examples]) if (Array.isArray(list) && list[0] !== undefined) return list[0] as JsonValue;
  for (const list of [anyOf, oneOf]) {
    if (Array.isArray(list) && list[0] !== undefined) {
      return sampleValue({ ...schema, anyOf: [], oneOf: [], ...(list[0] as JsonObject) }, deeper(context));
    }
  }
  if (Array.isArray(allOf)) return sampleValue(mergedSchema(schema, allOf), deeper(context));
  return sampleOfType(schema, context);
}

function sampleOfType(schema: JsonObject, context: SampleContext): JsonValue {
  const { type, properties, minItems, items } = schema;
  const first = Array.isArray(type) ? (type as readonly JsonValue[])[0] : type;
  switch (first ?? (properties === undefined ? undefined : 'object')) {
    case 'object':
      return sampleObject(schema, context);
    case 'array':
      return Array.from({ length: Number(minItems ?? 0) }, () => sampleValue(items ?? {}, deeper(context)));
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? schema['exclusiveMaximum'] ?? 1);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return sampleText(schema, context);
  }
}

function sampleText({ minLength, format }: JsonObject, { tool, name = '' }: SampleContext): string {
  const isUrl = format === 'uri' || format === 'url';
  const role = (['command', 'url', 'path'] as const).find((each) => argumentsWith(each, tool).includes(name));
  const text = samples[role ?? (isUrl ? 'url' : 'plain')];
  return text.padEnd(Number(minLength ?? 0), 'x');
}

function sampleObject({ properties, required }: JsonObject, context: SampleContext): JsonObject {
  const known = properties !== undefined && isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? (required as readonly JsonValue[]).map(String) : [];
  const entries = names.map((name): [string, JsonValue] => [
    name,
    sampleValue(known[name] ?? { type: 'string' }, { ...deeper(context), name }),
  ]);
  return Object.fromEntries(entries);
}

function mergedSchema(schema: JsonObject, parts: readonly JsonValue[]): JsonObject {
  const { allOf: _, ...own } = schema;
  return Object.assign({}, own, ...parts.filter(isJsonObject)) as JsonObject;
}

function deeper(context: SampleContext): SampleContext {
  return { ...context, depth: context.depth + 1 };
}
