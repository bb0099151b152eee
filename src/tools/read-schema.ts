/**
 * Reads a JSON Schema that may come from anywhere: what cannot be used is an error now, so that nothing is left to go
 * wrong when a call is checked against it.
 */

import { dereference, type Schema, type SchemaDraft } from '@cfworker/json-schema';
import { BridleError, messageOf } from '../errors.ts';
import { copyJson, cutText, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { costly, keywords, typeNames, unsupported, type KeywordKind } from './schema-keywords.ts';
import { unicodePattern } from './unicode-pattern.ts';

export interface ReadSchema {
  /** As it was given, frozen. */
  readonly given: JsonObject;
  /** Only what decides, in the form the validator wants. */
  readonly schema: Schema;
  readonly draft: SchemaDraft;
  readonly lookup: Record<string, Schema | boolean>;
  /** True if checking a value may take long whatever its size. */
  readonly isCostly: boolean;
}

const limits = { bytes: 1024 * 1024, depth: 64 };
const mostProblems = 8;

/** Throws `TOOL_INVALID` with every problem of the schema. */
export function readSchema(given: unknown): ReadSchema {
  const copy = copyJson(given, limits);
  if (copy.problem !== undefined) throw invalid([`the schema ${copy.problem}`]);
  if (!isJsonObject(copy.value)) throw invalid(['the schema is not an object']);
  const { type = 'object' } = copy.value;
  if (!isForObjects(type)) throw invalid([`the schema is for ${JSON.stringify(type)}; arguments are an object`]);
  const reader = new Reader();
  const schema = reader.read(copy.value, '#') as Schema;
  if (reader.problems.length > 0) throw invalid(reader.problems);
  const draft = draftOf(copy.value['$schema']);
  const lookup = look(schema);
  const endless = referenceProblem(schema, lookup);
  if (endless !== undefined) throw invalid([endless]);
  return { given: copy.value, schema, draft, lookup, isCostly: reader.isCostly };
}

/** Whether a `type` lets an object through. */
export function isForObjects(type: JsonValue): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

export function invalid(problems: readonly string[]): BridleError {
  const shown = problems.slice(0, mostProblems).map((problem) => cutText(problem, 300));
  return new BridleError('TOOL_INVALID', `The JSON Schema cannot be used: ${shown.join('; ')}`, { problems: shown });
}

function draftOf(version: JsonValue | undefined): SchemaDraft {
  const text = typeof version === 'string' ? version : '';
  if (text.includes('draft-04')) return '4';
  if (text.includes('draft-06') || text.includes('draft-07')) return '7';
  return text.includes('2019-09') ? '2019-09' : '2020-12';
}

function look(schema: Schema): Record<string, Schema | boolean> {
  try {
    return dereference(schema);
  } catch (error) {
    throw invalid([messageOf(error)]);
  }
}

type Copy = Record<string, unknown> | boolean;

/** Copies what decides and notes what is not as it must be. */
class Reader {
  readonly problems: string[] = [];
  isCostly = false;

  read(value: JsonValue | undefined, at: string): Copy {
    if (typeof value === 'boolean') return value;
    if (value === undefined || !isJsonObject(value)) return this.note(at, 'is not a schema');
    const copy: Record<string, unknown> = {};
    for (const [keyword, held] of Object.entries(value)) {
      if (unsupported.has(keyword)) this.note(at, `uses ${keyword}, which is not supported`);
      const kind = keywords.get(keyword);
      if (kind === undefined) continue;
      this.isCostly ||= costly.has(keyword);
      copy[keyword] = this.readKeyword(kind, held, { keyword, at: `${at}/${keyword}` });
    }
    return copy;
  }

  private readKeyword(kind: KeywordKind, held: JsonValue, place: { keyword: string; at: string }): unknown {
    const { keyword, at } = place;
    switch (kind) {
      case 'schema':
        return this.read(held, at);
      case 'schemas':
        return this.readList(held, at);
      case 'schemaOrSchemas':
        return Array.isArray(held) ? this.readList(held, at) : this.read(held, at);
      case 'schemaMap':
        return this.readMap(held, at, keyword === 'patternProperties');
      case 'dependencies':
        return this.readDependencies(held, at);
      case 'text':
        if (typeof held !== 'string') return this.note(at, 'is not a text');
        return keyword === 'pattern' ? this.readPattern(held, at) : held;
      default:
        return fits(kind, held) ? structuredClone(held) : this.note(at, `is not ${wanted[kind]}`);
    }
  }

  private readList(held: JsonValue, at: string): unknown {
    if (!Array.isArray(held)) return this.note(at, 'is not a list of schemas');
    return held.map((each: JsonValue, index) => this.read(each, `${at}/${index}`));
  }

  private readMap(held: JsonValue, at: string, hasPatterns: boolean): unknown {
    if (!isJsonObject(held)) return this.note(at, 'is not an object of schemas');
    return Object.fromEntries(
      Object.entries(held).map(([name, each]) => [
        hasPatterns ? this.readPattern(name, at) : name,
        this.read(each, `${at}/${name}`),
      ]),
    );
  }

  private readDependencies(held: JsonValue, at: string): unknown {
    if (!isJsonObject(held)) return this.note(at, 'is not an object');
    const read = (each: JsonValue, name: string): unknown =>
      Array.isArray(each)
        ? fits('names', each)
          ? [...each]
          : this.note(at, 'holds no names')
        : this.read(each, `${at}/${name}`);
    return Object.fromEntries(Object.entries(held).map(([name, each]) => [name, read(each, name)]));
  }

  private readPattern(pattern: string, at: string): string {
    const read = unicodePattern(pattern);
    if (read === undefined) this.note(at, `holds ${JSON.stringify(pattern)}, which is not a regular expression`);
    return read ?? '';
  }

  private note(at: string, problem: string): false {
    this.problems.push(`${at} ${problem}`);
    return false;
  }
}

type PlainKind = Exclude<KeywordKind, 'schema' | 'schemas' | 'schemaOrSchemas' | 'schemaMap' | 'dependencies' | 'text'>;

const wanted: Readonly<Record<PlainKind, string>> = {
  names: 'a list of names',
  nameMap: 'an object of lists of names',
  number: 'a number',
  numberOrFlag: 'a number',
  flag: 'true or false',
  type: 'a type of JSON',
  list: 'a list',
  anything: 'a value',
};

function fits(kind: PlainKind, held: JsonValue): boolean {
  switch (kind) {
    case 'names':
      return Array.isArray(held) && held.every((each: JsonValue) => typeof each === 'string');
    case 'nameMap':
      return isJsonObject(held) && Object.values(held).every((each) => fits('names', each));
    case 'number':
      return typeof held === 'number';
    case 'numberOrFlag':
      return typeof held === 'number' || typeof held === 'boolean';
    case 'flag':
      return typeof held === 'boolean';
    case 'type':
      return Array.isArray(held) ? held.every((each) => typeNames.has(each)) : typeNames.has(held);
    case 'list':
      return Array.isArray(held);
    case 'anything':
      return true;
    default:
      return kind satisfies never;
  }
}

/** The schemas that are applied to the same value as the one that holds them. */
function inPlace(schema: Schema, lookup: ReadSchema['lookup']): readonly (Schema | boolean | undefined)[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [], not, dependentSchemas = {}, dependencies = {} } = schema;
  const byName = [...Object.values(dependentSchemas), ...Object.values(dependencies)];
  const nested = [...allOf, ...anyOf, ...oneOf, not, schema.if, schema.then, schema.else, ...byName];
  const schemas = nested.filter((each): each is Schema => typeof each === 'object' && !Array.isArray(each));
  return $ref === undefined ? schemas : [...schemas, lookup[schema.__absolute_ref__ ?? $ref]];
}

/** A reference that leads nowhere, or round in a circle without going into the value. */
function referenceProblem(root: Schema, lookup: ReadSchema['lookup']): string | undefined {
  const done = new Set<Schema>();
  const open = new Set<Schema>();
  const visit = (schema: Schema | boolean | undefined): string | undefined => {
    if (schema === undefined) return 'a $ref leads nowhere';
    if (typeof schema === 'boolean' || done.has(schema)) return undefined;
    if (open.has(schema)) return 'a $ref leads back to itself';
    open.add(schema);
    for (const next of inPlace(schema, lookup)) {
      const problem = visit(next);
      if (problem !== undefined)
        return schema.$ref === undefined ? problem : `${problem}: ${JSON.stringify(schema.$ref)}`;
    }
    open.delete(schema);
    done.add(schema);
    return undefined;
  };
  for (const schema of [root, ...Object.values(lookup)]) {
    const problem = visit(schema);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
