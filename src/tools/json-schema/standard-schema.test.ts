import { createGuard, allowAll } from 'bridle';
import { jsonSchemaOf, toStandardSchema } from 'bridle/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import type { JsonObject } from '../../kernel/json.ts';

type Result = { readonly value?: unknown; readonly issues?: readonly { message: string; path?: readonly unknown[] }[] };

function check(schema: JsonObject, value: unknown): Result {
  return toStandardSchema(schema)['~standard'].validate(value) as Result;
}

/** All problems as `path: message`. */
function problems(schema: JsonObject, value: unknown): readonly string[] {
  return (check(schema, value).issues ?? []).map(({ path = [], message }) => `${path.join('.')}: ${message}`);
}

const person: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { type: 'integer', minimum: 0 },
    tags: { type: 'array', items: { type: 'string' } },
    home: { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] },
  },
  required: ['name', 'age'],
  additionalProperties: false,
};

describe('toStandardSchema', () => {
  it(proves('A12', 'G11')('accepts a valid value and returns it'), () => {
    const value = { name: 'Ada', age: 36 };
    expect(check(person, value)).toEqual({ value });
  });

  it(proves('A12', 'G11')('names each invalid argument and its problem'), () => {
    const wrong = { name: 'A', agee: 1, tags: ['x', 2], home: {} };
    expect(problems(person, wrong)).toEqual([
      'age: is missing',
      'name: String is too short (1 < 2)',
      'tags.1: is of type number, not string',
      'home.street: is missing',
      'agee: is not an argument; did you mean "age"?',
    ]);
  });

  it(proves('G11')('names an argument whose name needs escapes'), () => {
    const schema = { type: 'object', properties: { 'a/b~c %': { type: 'string' } } };
    expect(problems(schema, { 'a/b~c %': 1 })).toEqual(['a/b~c %: is of type number, not string']);
  });

  it(proves('A12', 'G11')('returns a Standard Schema unchanged, and provides the JSON Schema again'), () => {
    const schema = z.object({ a: z.string() });
    expect(toStandardSchema(schema)).toBe(schema);
    const { jsonSchema } = toStandardSchema(person)['~standard'];
    expect(jsonSchema?.input({ target: 'draft-2020-12' })).toEqual(person);
    expect(jsonSchema?.output?.({ target: 'draft-07' })).toEqual(person);
  });

  it(proves('G11', 'G16')('fills in valid defaults if the args stay valid'), () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        depth: { type: 'integer', default: 3 },
        mode: { type: 'string', default: null },
        list: { type: 'array', default: [] },
      },
    };
    expect(check(schema, { depth: 1 })).toEqual({ value: { depth: 1, list: [] } });
    const either = { ...schema, maxProperties: 1 };
    expect(check(either, { depth: 1 })).toEqual({ value: { depth: 1 } });
    expect(problems(schema, { depth: 'x' })).toEqual(['depth: is of type string, not integer']);
  });

  it(proves('G11')('does not mistake inherited properties for arguments'), () => {
    expect(problems({ type: 'object', required: ['constructor', 'toString'] }, {})).toHaveLength(2);
    expect(problems({ type: 'object', properties: { valueOf: { type: 'string' } } }, {})).toEqual([]);
  });

  it(proves('G11')('follows references, including recursive ones'), () => {
    const tree: JsonObject = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: {
        node: {
          type: 'object',
          properties: { next: { $ref: '#/$defs/node' }, id: { type: 'number' } },
          required: ['id'],
        },
      },
    };
    expect(problems(tree, { root: { id: 1, next: { id: 2 } } })).toEqual([]);
    expect(problems(tree, { root: { id: 1, next: {} } })).toEqual(['root.next.id: is missing']);
  });

  it(proves('G11')('supports older drafts'), () => {
    const four = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      properties: { n: { minimum: 1, exclusiveMinimum: true } },
    };
    expect(problems(four, { n: 1 })).toHaveLength(1);
    expect(problems(four, { n: 2 })).toEqual([]);
    const seven = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: { s: { type: 'string' } },
      properties: { a: { $ref: '#/definitions/s' } },
    };
    expect(problems(seven, { a: 1 })).toEqual(['a: is of type number, not string']);
  });

  it(proves('G11')('reports that no alternative matches without listing each'), () => {
    const schema: JsonObject = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
    expect(problems(schema, { a: 1 })).toEqual(['a: the value does not match any subschemas']);
    expect(problems(schema, { a: null })).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no object', 'text', 'not an object'],
    ['a list', [], 'not an object'],
    ['for something else', { type: 'string' }, 'arguments are an object'],
    ['a broken pattern', { properties: { a: { pattern: '(' } } }, 'not a regular expression'],
    ['a broken pattern of names', { patternProperties: { '[': {} } }, 'not a regular expression'],
    ['properties that are none', { properties: [] }, '#/properties is not an object of schemas'],
    ['a property that is no schema', { properties: { a: 'string' } }, '#/properties/a is not a schema'],
    ['a wrong required', { required: 'a' }, '#/required is not a list of names'],
    ['a wrong enum', { properties: { a: { enum: 5 } } }, 'is not a list'],
    ['an unknown type', { properties: { a: { type: 'strnig' } } }, 'is not a type of JSON'],
    ['a wrong bound', { properties: { a: { minimum: '1' } } }, 'is not a number'],
    ['a wrong anyOf', { anyOf: {} }, 'is not a list of schemas'],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, 'has no target'],
    ['a reference to nowhere that nothing reaches', { $defs: { a: { $ref: '#/no' } } }, 'has no target'],
    ['a reference to another machine', { properties: { a: { $ref: 'http://127.0.0.1/x' } } }, 'has no target'],
    ['a reference to itself', { $ref: '#' }, 'back to itself'],
    [
      'references in a circle',
      {
        allOf: [{ $ref: '#/$defs/a' }],
        $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
      },
      'back to itself',
    ],
    ['a dynamic reference', { properties: { a: { $dynamicRef: '#x' } } }, 'not supported'],
    ['a wrong id', { $id: 'http://[' }, 'cannot be used'],
    ['a function', { type: 'object', properties: { a: () => true } }, 'not JSON'],
  ])(proves('G11')('refuses, when it is declared, a schema that is %s'), (_, schema, problem) => {
    expect(() => toStandardSchema(schema as JsonObject)).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining(problem) }),
    );
  });

  it(proves('G11', 'G12')('refuses a schema that is too deep, too large or endless'), () => {
    let deep: JsonObject = { type: 'string' };
    for (let i = 0; i < 100; i++) deep = { type: 'object', properties: { a: deep } };
    expect(() => toStandardSchema(deep)).toThrow('deeper than 64 levels');
    expect(() => toStandardSchema({ description: 'x'.repeat(2_000_000) })).toThrow('larger than');
    const circle: Record<string, unknown> = { type: 'object' };
    circle['properties'] = circle;
    expect(() => toStandardSchema(circle as JsonObject)).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }));
  });

  it(proves('G11')('accepts patterns with needless escapes and keeps their meaning'), () => {
    const schema = {
      type: 'object',
      properties: { phone: { type: 'string', pattern: String.raw`^\d{3}\-[\w\-\_]+\@$` } },
    };
    expect(problems(schema, { phone: '123-a_b-c@' })).toEqual([]);
    expect(problems(schema, { phone: '123+a@' })).toEqual(['phone: String does not match pattern']);
  });

  it.each<[string, JsonObject, unknown]>([
    ['a pattern', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(60)}!` }],
    ['a pattern of names', { patternProperties: { '^(a|a)*$': {} } }, { [`${'a'.repeat(60)}!`]: 1 }],
    [
      'alternatives that double at every level',
      {
        properties: { a: { $ref: '#/$defs/n' } },
        $defs: {
          n: {
            anyOf: [
              { properties: { a: { $ref: '#/$defs/n' } }, required: ['z'] },
              { properties: { a: { $ref: '#/$defs/n' } }, required: ['z'] },
            ],
          },
        },
      },
      Array.from({ length: 50 }).reduce<object>((inner) => ({ a: inner }), {}),
    ],
    [
      'unique items',
      { properties: { a: { type: 'array', uniqueItems: true } } },
      { a: Array.from({ length: 30_000 }, (_, i) => ({ i })) },
    ],
  ])(proves('G11', 'G12')('refuses a call whose check would take too long: %s'), (_, schema, value) => {
    expect(problems(schema, value)).toEqual([': the schema could not be checked within 500 ms']);
  });

  it(proves('G11')('reports the first error if there are too many'), () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } };
    const many = problems(schema, { a: Array.from({ length: 300_000 }, () => 1) });
    expect(many.length).toBeGreaterThan(0);
    expect(many.length).toBeLessThanOrEqual(20);
    expect(many[0]).toBe('a.0: is of type number, not string');
  });

  it(proves('G11')('never throws for a call with an accepted schema'), () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      'required',
      'enum',
      'pattern',
      '$ref',
      'anyOf',
      'not',
      'if',
      '$defs',
      'format',
      'const',
      'id',
      '$id',
      'minimum',
      'dependencies',
      'prefixItems',
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.dictionary(
        keyword,
        fc.oneof(
          { maxDepth: 4 },
          json,
          tie('schema'),
          fc.array(tie('schema'), { maxLength: 2 }),
          fc.constantFrom('object', '#', '#/properties', '(', 'date'),
        ),
        { maxKeys: 4 },
      ),
    }));
    fc.assert(
      fc.property(schema, json, (given, value) => {
        let standard;
        try {
          standard = toStandardSchema(given as JsonObject);
        } catch (error) {
          expect(error).toMatchObject({ code: 'TOOL_INVALID' });
          return;
        }
        const result = standard['~standard'].validate(value) as Result;
        expect('value' in result !== 'issues' in result).toBe(true);
        expect(
          result.issues?.some(({ message }) => message.startsWith('the schema could not be checked: ')) ?? false,
        ).toBe(false);
      }),
      { numRuns: runs(1500) },
    );
  });

  it(proves('A12', 'G11')('is used by the guard for validation'), async () => {
    const guard = createGuard({ tools: [{ name: 'greet', schema: toStandardSchema(person) }], policy: [allowAll()] });
    const turn = (await guard.start()).turn();
    const result = await turn.guard({ tool: 'greet', args: { name: 'Ada' } }, { run: () => 'hi' });
    expect(result).toMatchObject({ type: 'invalid', text: 'Invalid args for greet: age: is missing.' });
  });
});

describe('jsonSchemaOf', () => {
  it(proves('G11')('returns inputSchema, the JSON Schema, or the one from the Standard Schema'), () => {
    expect(jsonSchemaOf({})).toBeUndefined();
    expect(jsonSchemaOf({ schema: person })).toMatchObject({ type: 'object', required: ['name', 'age'] });
    expect(jsonSchemaOf({ schema: person })).not.toHaveProperty('$schema');
    expect(jsonSchemaOf({ schema: { type: ['object', 'null'] } })).toEqual({ type: 'object' });
    expect(jsonSchemaOf({ schema: person, inputSchema: { properties: { a: {} } } })).toEqual({
      type: 'object',
      properties: { a: {} },
    });
    expect(jsonSchemaOf({ schema: z.object({ a: z.string().describe('the a'), b: z.number().default(1) }) })).toEqual({
      type: 'object',
      properties: { a: { type: 'string', description: 'the a' }, b: { type: 'number', default: 1 } },
      required: ['a'],
    });
    expect(jsonSchemaOf({ schema: toStandardSchema(person) })).toEqual(jsonSchemaOf({ schema: person }));
  });

  it(proves('G11')('is undefined for a Standard Schema without one, and refuses non-objects'), () => {
    const silent = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } } as const;
    expect(jsonSchemaOf({ schema: silent })).toBeUndefined();
    const broken = { '~standard': { ...silent['~standard'], jsonSchema: { input: () => JSON.parse('{') as unknown } } };
    expect(jsonSchemaOf({ schema: broken })).toBeUndefined();
    expect(() => jsonSchemaOf({ schema: z.string() })).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }));
  });
});
