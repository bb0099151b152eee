/** Derives the type of `args` from the tools that a rule can apply to. */

import type { ToolDeclaration } from '../../../kernel/tool.ts';
import {
  anyMap,
  dyn,
  unionOfMaps,
  type FieldType,
  type MapType,
  bool,
  type CelType,
  double,
  unionType,
  nullType,
  string,
} from './cel-type.ts';

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

type Schema = Readonly<Record<string, unknown>>;

const maxSchemaDepth = 12;
/** References can make a small schema expand without end. */
const maxSchemas = 5000;

/** Keywords that combine schemas. */
const combiningKeywords = [
  '$ref',
  '$dynamicRef',
  'anyOf',
  'oneOf',
  'allOf',
  'if',
  'dependentSchemas',
  'dependentRequired',
];

/**
 * An integer argument is a `double`, so that the meaning of a condition does not depend on what is known about the
 * tool.
 */
const simpleTypes: Readonly<Record<string, CelType>> = {
  string,
  boolean: bool,
  integer: double,
  number: double,
  null: nullType,
};

function schemaType(schema: unknown): CelType {
  return new SchemaReader(schema).read(schema, 0);
}

class SchemaReader {
  private schemasLeft = maxSchemas;

  constructor(private readonly root: unknown) {}

  read(schema: unknown, depth: number): CelType {
    if (!isSchema(schema) || depth > maxSchemaDepth || --this.schemasLeft < 0) return dyn;
    const type = schema['type'] ?? typesOfValues(schema);
    if (type === undefined) return this.readCombined(schema, depth);
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    return this.any(types.map((name) => this.readAs(String(name), schema, depth)));
  }

  private readCombined(schema: Schema, depth: number): CelType {
    const reference = schema['$ref'];
    const choices = schema['anyOf'] ?? schema['oneOf'];
    const combined = combiningKeywords.filter((key) => Object.hasOwn(schema, key));
    if (combined.length !== 1) return dyn;
    if (typeof reference === 'string') return this.read(this.resolveReference(reference), depth + 1);
    return Array.isArray(choices) ? this.any(choices.map((choice: unknown) => this.read(choice, depth + 1))) : dyn;
  }

  private any(types: readonly CelType[]): CelType {
    return types.length === 0 ? dyn : types.reduce(unionType);
  }

  private readAs(name: string, schema: Schema, depth: number): CelType {
    if (name === 'object') return this.readObject(schema, depth);
    if (name === 'array') {
      const items = Object.hasOwn(schema, 'prefixItems') ? undefined : schema['items'];
      return { kind: 'list', item: this.read(items, depth + 1) };
    }
    return Object.hasOwn(simpleTypes, name) ? (simpleTypes[name] as CelType) : dyn;
  }

  private readObject(schema: Schema, depth: number): CelType {
    const { properties, additionalProperties: more, patternProperties, required } = schema;
    const needed = new Set<unknown>(Array.isArray(required) ? required : []);
    // Combining keywords can require or add other fields.
    const isComplete = !combiningKeywords.some((key) => Object.hasOwn(schema, key));
    const otherwise = isComplete ? 'sometimes' : 'unspecified';
    const fields = new Map<string, FieldType>();
    for (const [name, part] of isSchema(properties) ? Object.entries(properties) : []) {
      fields.set(name, { type: this.read(part, depth + 1), presence: needed.has(name) ? 'always' : otherwise });
    }
    // Most schemas omit `additionalProperties: false`, so an unlisted name is usually a typo.
    const open = more === undefined ? properties === undefined : more !== false;
    return { kind: 'map', fields, open: open || !isComplete || patternProperties !== undefined };
  }

  private resolveReference(reference: string): unknown {
    if (reference === '#') return this.root;
    if (!reference.startsWith('#/')) return undefined;
    let at: unknown = this.root;
    for (const part of reference.slice(2).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as Schema)[key];
    }
    return at;
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The types of a schema that lists values instead of a type. */
function typesOfValues(schema: Schema): readonly string[] | undefined {
  const values = Object.hasOwn(schema, 'const') ? [schema['const']] : schema['enum'];
  if (!Array.isArray(values)) return Object.hasOwn(schema, 'properties') ? ['object'] : undefined;
  return [
    ...new Set(
      values.map((value: unknown) => (value === null ? 'null' : typeof value === 'object' ? '' : typeof value)),
    ),
  ];
}
