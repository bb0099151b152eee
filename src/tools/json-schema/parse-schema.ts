/**
 * Parses an untrusted JSON Schema. Anything unusable is an error now, so that validating a call later cannot fail.
 */

import { dereference, format, type Schema, type SchemaDraft } from '@cfworker/json-schema';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { copyJson, cutText, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { misspelledField } from '../../kernel/similar-names.ts';
import {
  annotations,
  costlyKeywords,
  plainKinds,
  schemaKeywords,
  unsupportedKeywords,
  type KeywordKind,
} from './schema-keywords.ts';

export interface ParsedSchema {
  /** The given schema, frozen. */
  readonly given: JsonObject;
  /** Only the keywords that affect validation, in the validator's form. */
  readonly schema: Schema;
  readonly draft: SchemaDraft;
  readonly lookup: Record<string, Schema | boolean>;
  /** True if validating even a small value may take long. */
  readonly isCostly: boolean;
}

/** A problem in a schema. Without a path it concerns the whole schema. */
export interface SchemaProblem {
  /** The keys that lead to the problem. */
  readonly path?: readonly string[] | undefined;
  readonly problem: string;
}

/** Makes parsing stricter than JSON Schema requires. */
export interface StrictSchemaOptions {
  /** Compiles a pattern. By default, patterns are JavaScript regular expressions. */
  readonly pattern: (text: string) => { readonly test: (text: string) => boolean } | { readonly problem: string };
}

const limits = { bytes: 1024 * 1024, depth: 64 };
const maxProblems = 8;
/**
 * The prefix of formats that stand for patterns compiled by {@link StrictSchemaOptions}: the validator has no other
 * hook.
 */
export const patternFormat = 'pattern:';

/** Throws `TOOL_INVALID` with every problem of the schema. */
export function parseSchema(given: unknown): ParsedSchema {
  const read = tryParseSchema(given);
  if ('problems' in read) throw schemaError(read.problems.map(problemText));
  return read;
}

/** The parsed schema, or all its problems. */
export function tryParseSchema(
  given: unknown,
  strict?: StrictSchemaOptions,
): ParsedSchema | { readonly problems: readonly SchemaProblem[] } {
  const copy = copyJson(given, limits);
  if (copy.problem !== undefined) return { problems: [{ problem: `the schema ${copy.problem}` }] };
  if (!isJsonObject(copy.value)) return { problems: [{ problem: 'the schema is not an object' }] };
  const { type = 'object' } = copy.value;
  if (!allowsObjects(type))
    return { problems: [{ problem: `the schema is for ${JSON.stringify(type)}, but arguments are an object` }] };
  const reader = new SchemaParser(strict);
  const schema = reader.read(copy.value, []) as Schema;
  if (reader.problems.length > 0) return { problems: reader.problems };
  const draft = draftOf(copy.value['$schema']);
  try {
    const lookup = dereference(schema);
    const badReference = referenceProblem(schema, lookup);
    if (badReference !== undefined) return { problems: [{ problem: badReference }] };
    return { given: copy.value, schema, draft, lookup, isCostly: reader.isCostly };
  } catch (error) {
    return { problems: [{ problem: messageOf(error) }] };
  }
}

function problemText({ path, problem }: SchemaProblem): string {
  return path === undefined ? problem : `${['#', ...path].join('/')} ${problem}`;
}

/** Whether a `type` allows objects. */
export function allowsObjects(type: JsonValue): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

export function schemaError(problems: readonly string[]): BridleError {
  const shown = problems.slice(0, maxProblems).map((problem) => cutText(problem, 300));
  return new BridleError('TOOL_INVALID', `The JSON Schema cannot be used: ${shown.join('; ')}`, { problems: shown });
}

function draftOf(version: JsonValue | undefined): SchemaDraft {
  const text = typeof version === 'string' ? version : '';
  if (text.includes('draft-04')) return '4';
  if (text.includes('draft-06') || text.includes('draft-07')) return '7';
  return text.includes('2019-09') ? '2019-09' : '2020-12';
}

type Copy = Record<string, unknown> | boolean;

type Path = readonly string[];

/** Copies the keywords that affect validation, and collects problems. */
class SchemaParser {
  readonly problems: SchemaProblem[] = [];
  isCostly = false;

  constructor(private readonly strict: StrictSchemaOptions | undefined) {}

  read(value: JsonValue | undefined, at: Path): Copy {
    if (typeof value === 'boolean') return value;
    if (value === undefined || !isJsonObject(value)) return this.note(at, 'is not a schema');
    const copy: Record<string, unknown> = {};
    for (const [keyword, held] of Object.entries(value)) {
      if (unsupportedKeywords.has(keyword)) this.note(at, `uses ${keyword}, which is not supported`);
      const kind = schemaKeywords.get(keyword);
      if (kind === undefined) continue;
      this.isCostly ||= costlyKeywords.has(keyword);
      copy[keyword] = this.readKeyword(kind, held, { keyword, at: [...at, keyword] });
    }
    if (this.strict === undefined) return copy;
    this.checkKeywords(value, at);
    const { pattern, ...rest } = copy;
    if (typeof pattern !== 'string') return copy;
    return { ...rest, allOf: [...((rest['allOf'] as unknown[] | undefined) ?? []), { format: pattern }] };
  }

  /** An unknown keyword would be ignored, and what it was meant to refuse would pass. */
  private checkKeywords(schema: JsonObject, at: Path): void {
    const known = [...schemaKeywords.keys(), ...annotations, ...unsupportedKeywords];
    for (const [keyword, held] of Object.entries(schema)) {
      if (typeof held === 'boolean' && schemaKeywords.get(keyword) === 'numberOrFlag')
        this.note([...at, keyword], 'is a boolean, as in old drafts of JSON Schema; use the bound itself');
      if (known.includes(keyword) || keyword.startsWith('x-')) continue;
      const meant = misspelledField({ [keyword]: held }, known)?.meant;
      const hint = meant === undefined ? '; custom keywords start with x-' : `; did you mean "${meant}"?`;
      this.note([...at, keyword], `is not a keyword of JSON Schema${hint}`);
    }
  }

  private readKeyword(kind: KeywordKind, held: JsonValue, place: { keyword: string; at: Path }): unknown {
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
        if (typeof held !== 'string') return this.note(at, 'is not a string');
        return keyword === 'pattern' ? this.readPattern(held, at) : held;
      default:
        return plainKinds[kind].fits(held)
          ? structuredClone(held)
          : this.note(at, `is not ${plainKinds[kind].expected}`);
    }
  }

  private readList(held: JsonValue, at: Path): unknown {
    if (!Array.isArray(held)) return this.note(at, 'is not a list of schemas');
    return held.map((each: JsonValue, index) => this.read(each, [...at, String(index)]));
  }

  private readMap(held: JsonValue, at: Path, hasPatterns: boolean): unknown {
    if (!isJsonObject(held)) return this.note(at, 'is not an object of schemas');
    return Object.fromEntries(
      Object.entries(held).map(([name, each]) => [
        hasPatterns ? this.readNamePattern(name, at) : name,
        this.read(each, [...at, name]),
      ]),
    );
  }

  private readDependencies(held: JsonValue, at: Path): unknown {
    if (!isJsonObject(held)) return this.note(at, 'is not an object');
    const read = (each: JsonValue, name: string): unknown =>
      Array.isArray(each)
        ? plainKinds.names.fits(each)
          ? [...each]
          : this.note(at, 'is not a list of names')
        : this.read(each, [...at, name]);
    return Object.fromEntries(Object.entries(held).map(([name, each]) => [name, read(each, name)]));
  }

  private readPattern(pattern: string, at: Path): string {
    if (this.strict === undefined) return this.readExpression(pattern, at);
    const compiled = this.strict.pattern(pattern);
    if ('problem' in compiled) {
      this.note(at, `has the pattern ${JSON.stringify(pattern)}: ${compiled.problem}`);
      return '';
    }
    const name = `${patternFormat}${pattern}`;
    format[name] = compiled.test;
    return name;
  }

  /** The validator matches property names with JavaScript expressions only, within the timeout. */
  private readNamePattern(pattern: string, at: Path): string {
    const compiled = this.strict?.pattern(pattern);
    if (compiled !== undefined && 'problem' in compiled)
      this.note(at, `has the pattern ${JSON.stringify(pattern)}: ${compiled.problem}`);
    return this.readExpression(pattern, at);
  }

  private readExpression(pattern: string, at: Path): string {
    const read = unicodePattern(pattern);
    if (read === undefined)
      this.note(at, `has the pattern ${JSON.stringify(pattern)}, which is not a regular expression`);
    return read ?? '';
  }

  private note(path: Path, problem: string): false {
    this.problems.push({ path, problem });
    return false;
  }
}

/**
 * Rewrites a regular expression for the validator, which compiles it in Unicode mode: needless escapes (`\-`, `\_`),
 * common in schemas, become code points. Undefined if it is not a regular expression.
 */
function unicodePattern(pattern: string): string | undefined {
  if (compiles(pattern)) return pattern;
  const plain = pattern.replace(/\\([^])/g, (all, character: string) => {
    const code = character.charCodeAt(0);
    return /[\w^$\\.*+?()[\]{}|/]/.test(character) && character !== '_' ? all : code < 256 ? hex(code) : character;
  });
  return compiles(plain) ? plain : undefined;
}

function hex(code: number): string {
  return String.raw`\x${code.toString(16).padStart(2, '0')}`;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    // A syntax error means no.
    return false;
  }
}

/** The nested schemas that apply to the same value as their parent. */
function sameValueSchemas(schema: Schema, lookup: ParsedSchema['lookup']): readonly (Schema | boolean | undefined)[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [], not, dependentSchemas = {}, dependencies = {} } = schema;
  const byName = [...Object.values(dependentSchemas), ...Object.values(dependencies)];
  const nested = [...allOf, ...anyOf, ...oneOf, not, schema.if, schema.then, schema.else, ...byName];
  const schemas = nested.filter((each): each is Schema => typeof each === 'object' && !Array.isArray(each));
  return $ref === undefined ? schemas : [...schemas, lookup[schema.__absolute_ref__ ?? $ref]];
}

/** Finds a reference that has no target, or that leads back to itself without descending into the value. */
function referenceProblem(root: Schema, lookup: ParsedSchema['lookup']): string | undefined {
  const done = new Set<Schema>();
  const open = new Set<Schema>();
  const visit = (schema: Schema | boolean | undefined): string | undefined => {
    if (schema === undefined) return 'a $ref has no target';
    if (typeof schema === 'boolean' || done.has(schema)) return undefined;
    if (open.has(schema)) return 'a $ref leads back to itself';
    open.add(schema);
    for (const next of sameValueSchemas(schema, lookup)) {
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
