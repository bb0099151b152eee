/** Builds a JSON answer for a schema from values in the conversation. Nothing is invented. */

import { statedList, statedValue } from './stated-value.ts';

export interface AnswerSources {
  /** The message of the user. */
  readonly text: string;
  /** JSON objects from the message or from tool results. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  /** The answer in plain words. */
  readonly report: string;
}

const depthLimit = 8;
/** Field names that ask for the answer in plain words. */
const reportNames = new Set(
  'answer text summary result message output reply response report content description'.split(' '),
);

/** JSON text, or the names of the missing fields. */
export function structuredAnswer(
  schema: unknown,
  sources: AnswerSources,
): { json: string } | { missing: readonly string[] } {
  if (!isPlainRecord(schema)) return { missing: [] };
  const builder = new AnswerBuilder(sources);
  const value = builder.build(schema, '', 0);
  if (builder.missing.length > 0 || value === undefined) return { missing: builder.missing };
  return { json: JSON.stringify(value) };
}

class AnswerBuilder {
  readonly missing: string[] = [];
  private readonly sources: AnswerSources;

  constructor(sources: AnswerSources) {
    this.sources = sources;
  }

  build(schema: Readonly<Record<string, unknown>>, name: string, depth: number): unknown {
    if (depth > depthLimit) return undefined;
    if ('const' in schema) return schema['const'];
    const given = this.given(schema, name);
    if (given !== undefined) return given;
    const value = typeOf(schema) === 'object' ? this.fields(schema, depth) : this.stated(schema, name);
    return value === undefined && 'default' in schema ? schema['default'] : value;
  }

  /** A value with this name in one of the objects. */
  private given(schema: Readonly<Record<string, unknown>>, name: string): unknown {
    const holder = this.sources.objects.findLast((each) => Object.hasOwn(each, name) && fits(schema, each[name]));
    return holder?.[name];
  }

  private fields(schema: Readonly<Record<string, unknown>>, depth: number): unknown {
    const properties = isPlainRecord(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const entries: [string, unknown][] = [];
    for (const [name, property] of Object.entries(properties)) {
      const value = isPlainRecord(property) ? this.build(property, name, depth + 1) : undefined;
      if (value !== undefined) entries.push([name, value]);
      else if (required.includes(name)) this.missing.push(name);
    }
    return Object.fromEntries(entries);
  }

  private stated(schema: Readonly<Record<string, unknown>>, name: string): unknown {
    const { text, report } = this.sources;
    if (Array.isArray(schema['enum'])) return namedIn(schema['enum'], statedValue(text, name) ?? text);
    if (typeOf(schema) === 'array') return statedList(text, name)?.map((item) => parseValue(schema['items'], item));
    const found = statedValue(text, name);
    const value = found === undefined ? undefined : parseValue(schema, found);
    if (value !== undefined) return value;
    return typeOf(schema) === 'string' && reportNames.has(name.toLowerCase()) && report !== '' ? report : undefined;
  }
}

function namedIn(options: readonly unknown[], text: string): unknown {
  const words = new Set(text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u));
  return options.find((option) => words.has(String(option).toLowerCase()));
}

const truths = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);

/** Parses a value as the type in the schema. */
function parseValue(schema: unknown, text: string): unknown {
  const type = isPlainRecord(schema) ? typeOf(schema) : 'string';
  if (type === 'boolean') return truths.get(text.toLowerCase());
  if (type !== 'number' && type !== 'integer') return type === 'string' ? text : undefined;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : undefined;
}

function fits(schema: Readonly<Record<string, unknown>>, value: unknown): boolean {
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value);
  switch (typeOf(schema)) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isPlainRecord(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === typeOf(schema);
    default:
      return value !== undefined;
  }
}

function typeOf(schema: Readonly<Record<string, unknown>>): string {
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (typeof type === 'string') return type;
  return isPlainRecord(schema['properties']) ? 'object' : 'any';
}

export function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
