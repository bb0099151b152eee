/** The published schema and the reader say the same of every file, as far as a schema can say it. */

import { Validator, type Schema } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import schema from '../../../policy.schema.json' with { type: 'json' };
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { read } from '../../../test/source.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { parsePolicyFile } from './parse-policy-file.ts';
import { policyJsonSchema } from './policy-schema.ts';

const validator = new Validator(schema as Schema, '7', false);

/** What the reader has against a document, whatever it is written in. */
function problemsOf(document: JsonValue): readonly string[] {
  const [asJson, asYaml] = [JSON.stringify(document), stringify(document, { aliasDuplicateObjects: false })].map(
    (text, index) => {
      try {
        parsePolicyFile(text, index === 0 ? 'bridle.json' : 'bridle.yaml');
        return [];
      } catch (error) {
        if (!(error instanceof BridleError)) throw error;
        return error.problems.map((problem) => problem.replace(/^[\w.]+:\d+:\d+: /, ''));
      }
    },
  );
  expect(asYaml?.toSorted()).toEqual(asJson?.toSorted());
  return asJson ?? [];
}

function some<T extends Record<string, fc.Arbitrary<unknown>>>(parts: T, requiredKeys: (keyof T)[] = []) {
  return fc.record<Record<string, unknown>>(parts, { requiredKeys: requiredKeys as string[], noNullPrototype: true });
}

const text = fc.constantFrom(
  'a',
  'no',
  '1e3',
  'true',
  "it's",
  'a: b',
  '# no comment',
  '- a',
  'ä, ö',
  '2027-01-01',
  '*',
);
const tool = fc.constantFrom('view_file', 'run_command', 'a.b', 'no', 'two words');
const pair = fc.constantFrom('github/search', 'files/a/b');
const target = fc.oneof(tool, pair, fc.constantFrom('github/*', 'files/*', '*'));
const names = fc.array(fc.constantFrom('path', 'edits[].path', 'target'), { maxLength: 3 });
const oneOrMany = (each: fc.Arbitrary<string>) => fc.oneof(each, fc.array(each, { minLength: 1, maxLength: 3 }));
const effect = fc.constantFrom('allow', 'ask', 'deny');
const duration = fc.constantFrom('500ms', '30s', '5m', '2h');

const rule = fc
  .tuple(
    fc.constantFrom('allow', 'ask', 'deny', 'forbid'),
    oneOrMany(target),
    some({
      reason: text,
      when: fc.constantFrom('true', 'runs("rm")', '!opaque()\n|| args.x == "a: b" # no comment'),
      grant: some({ timeout: duration, output: fc.constantFrom('512B', '64KiB'), approval: duration }, ['timeout']),
      expires: fc.constantFrom('2027-01-01', '2027-02-28T23:59Z', '2027-01-01T12:00:00.5+02:00'),
      unknown: fc.constantFrom('ask', 'deny'),
      approval: fc.constant('signed'),
      shadow: fc.boolean(),
    }),
  )
  .map(([effect, targets, { grant, unknown, approval, ...rest }]): JsonObject => {
    const denies = effect === 'deny' || effect === 'forbid';
    const granted = grant === undefined || denies ? {} : { grant };
    const unsure = unknown === undefined || !denies || rest['when'] === undefined ? {} : { unknown };
    const signed = approval === undefined || effect !== 'ask' ? {} : { approval };
    return { [effect]: targets, ...rest, ...granted, ...unsure, ...signed } as JsonObject;
  });

const server = (name: string) =>
  fc.oneof(
    fc.constant(name),
    some({ name: fc.constant(name), enabledTools: names, paths: fc.dictionary(tool, names, { maxKeys: 2 }) }, ['name']),
  );

const declared = fc
  .tuple(
    some({ tier: fc.constantFrom('observe', 'confirm'), args: names, schema: fc.constant({ type: 'object' }) }),
    names,
  )
  .map(([rest, paths]) => ({ ...rest, paths, touches: { reads: paths, folder: 'cwd' } }));

const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const data = fc.dictionary(
  fc.constantFrom('a', 'two words', 'constructor'),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.constant({ '1': [{}] })),
  { maxKeys: 2 },
);
const test = some(
  {
    name: text,
    call: fc.oneof(tool, pair, some({ tool, server: fc.constantFrom('github', 'a/b') }, ['tool'])),
    args: data,
    cwd: fc.constantFrom('sub', '.'),
    state: some({ session: data, turn: data }, ['turn']),
    expect: effect,
    rule: text,
  },
  ['call', 'expect'],
);

const document = some(
  {
    version: fc.constant(1),
    default: effect,
    strict: fc.boolean(),
    extends: oneOrMany(fc.constantFrom('../org/bridle.yaml', '~/policy.yaml')),
    workspaces: oneOrMany(fc.constantFrom('.', 'src')),
    hooks: oneOrMany(fc.constantFrom('a.mjs', './hooks/b.ts', '~/c.js', 'd.mts')),
    servers: fc.tuple(server('github'), server('files')),
    tools: fc.dictionary(fc.oneof(tool, pair), declared, { maxKeys: 3 }),
    rules: fc
      .array(rule, { maxLength: 4 })
      .map((list) => list.map((each, index) => (index % 2 === 0 ? each : { ...each, name: `rule ${index}` }))),
    tests: fc.array(test, { maxLength: 3 }),
  },
  ['version'],
) as fc.Arbitrary<JsonObject>;

const stray = fc.constantFrom<JsonValue>(null, 0, 1e3, true, '', ' ', 'no', 'x', [], {}, ['x'], { x: 1 }, [null]);

/** Every way to say where something stands in a document. */
function pathsIn(value: JsonValue, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => pathsIn(each, [...path, key]))];
}

type Change = (inside: Record<string, JsonValue>, key: string) => void;

/** A copy in which one place is another. */
function changed(given: JsonObject, path: readonly string[], change: Change): JsonObject {
  const copy = structuredClone(given) as Record<string, JsonValue>;
  const inside = path.slice(0, -1).reduce<JsonValue>((value, key) => (value as JsonObject)[key] as JsonValue, copy);
  change(inside as Record<string, JsonValue>, path.at(-1) ?? 'version');
  return copy;
}

/** What only the reader can know: see the reference. */
const beyondSchema =
  /named|not in servers|not in paths|cannot be represented exactly|__proto__|control characters|invisible|expires is|the schema cannot be used/;

describe('the schema and the reader', () => {
  it(proves('D01')('accept the same files'), () => {
    fc.assert(
      fc.property(document, (given) => {
        expect(validator.validate(given).errors).toEqual([]);
        expect(problemsOf(given)).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  it(proves('D01')('reject the same files'), () => {
    const change = fc.oneof(
      stray.map((value): Change => (inside, key) => {
        inside[key] = value;
      }),
      fc.constant<Change>((inside, key) => {
        if (Array.isArray(inside)) inside.splice(Number(key), 1);
        else delete inside[key];
      }),
      fc.constantFrom('xyz', 'constructor', 'deny', 'Name', 'grant').map((name): Change => (inside) => {
        if (!Array.isArray(inside)) inside[name] = 'x';
      }),
    );
    let refused = 0;
    fc.assert(
      fc.property(document, fc.nat(), change, (given, pick, change) => {
        const paths = pathsIn(given).filter((path) => path.length > 0);
        const other = changed(given, paths[pick % paths.length] ?? [], change);
        const { valid } = validator.validate(JSON.parse(JSON.stringify(other), bare));
        const problems = problemsOf(other);
        if (!valid) expect(problems, JSON.stringify(other)).not.toEqual([]);
        else
          expect(
            problems.filter((problem) => !beyondSchema.test(problem)),
            JSON.stringify(other),
          ).toEqual([]);
        refused += Number(!valid);
      }),
      { numRuns: runs(300) },
    );
    expect(refused).toBeGreaterThan(runs(300) / 4);
  });

  it('agree on the example of the reference', async () => {
    const { parse } = await import('yaml');
    const [example = ''] = /(?<=```yaml\n)version: 1[^]*?(?=```)/m.exec(read('docs/reference/policy-file.md')) ?? [];
    expect(validator.validate(parse(example)).errors).toEqual([]);
    expect(parsePolicyFile(example, 'bridle.yaml').rules.length).toBeGreaterThan(3);
  });
});

/** The validator asks `name in value`, and every object of JavaScript has a `constructor`. */
function bare(this: unknown, _key: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.assign(Object.create(null) as object, value) : value;
}

describe('the schema', () => {
  it('is what the reader uses; `npm run build` writes it', () => {
    expect(read('policy.schema.json')).toBe(`${JSON.stringify(policyJsonSchema(), undefined, 2)}\n`);
  });

  const nodes = (value: unknown, path = '#'): [string, Record<string, unknown>][] => {
    if (typeof value !== 'object' || value === null) return [];
    const inner = Object.entries(value).filter(([key]) => key !== 'examples');
    return [[path, value as Record<string, unknown>], ...inner.flatMap(([key, each]) => nodes(each, `${path}/${key}`))];
  };

  it(proves('D01')('is a draft 7 schema with valid examples'), () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    const withExamples = nodes(schema).filter(([, node]) => Array.isArray(node['examples']));
    expect(withExamples.length).toBeGreaterThan(15);
    for (const [path, node] of withExamples) {
      const part = new Validator({ ...node, definitions: schema.definitions }, '7', false);
      for (const example of node['examples'] as unknown[])
        expect([path, part.validate(example).errors]).toEqual([path, []]);
    }
  });

  it('describes every key', () => {
    const keys = nodes(schema).filter(([path]) => /\/properties\/[^/]+$/.test(path));
    const bareKeys = keys.filter(([, node]) => {
      const { $ref = '' } = node as { $ref?: string };
      const name = $ref.split('/').at(-1) ?? '';
      const target = (schema.definitions as Record<string, { description?: string }>)[name];
      return (node['description'] ?? target?.description) === undefined;
    });
    expect(bareKeys.map(([path]) => path).filter((path) => !/call\/oneOf/.test(path))).toEqual([]);
  });
});
