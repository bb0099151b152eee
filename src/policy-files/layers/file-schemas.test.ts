/** Schemas in policy files are enforced wherever the file is used (G17). */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowAll, createGuard, safeDefaults } from 'bridle';
import { createAgent } from 'bridle/agent';
import { diffPolicies, loadPolicy, openPolicy, replayJournal, testPolicy } from 'bridle/policy-files';
import { maskSecrets, memoryJournal, recordLine } from 'bridle/journal';
import { scriptedModel } from 'bridle/testing';
import { builtinTools, defineTool, toStandardSchema } from 'bridle/tools';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-schemas-'));
const home = join(folder, 'home');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function file(text: string): string {
  const path = join(folder, `policy-${++count}.yaml`);
  writeFileSync(path, text);
  return path;
}

function load(text: string): ReturnType<typeof loadPolicy> {
  return loadPolicy(file(text), { cwd: folder, home, tools: builtinTools });
}

const deploy = `version: 1
default: deny
tools:
  deploy:
    schema:
      properties:
        env: { enum: [staging, prod] }
        count: { type: integer, default: 3 }
      required: [env]
      additionalProperties: false
rules:
  - allow: deploy
`;
const fitting = { env: 'prod' };
const misfit = { env: 'elsewhere' };

/** The warnings of a guard that has this tool only. */
function warnings(name: string): readonly string[] {
  const text = deploy.replace('  - allow: deploy\n', '  - allow: "*"\n');
  return createGuard({ tools: [{ name, tier: 'observe' }], policy: openPolicy(file(text), { home }) }).warnings;
}

describe('a schema in a policy file', () => {
  it(proves('G17')('rejects invalid args, and names the argument and the line'), async () => {
    const policy = load(deploy);
    expect(await policy.decide({ tool: 'deploy', args: fitting })).toMatchObject({ effect: 'allow' });
    const refused = await policy.decide({ tool: 'deploy', args: misfit });
    expect(refused).toMatchObject({ effect: 'deny', rule: { name: 'schema of deploy', effect: 'forbid' } });
    expect(refused.reason).toMatch(/^The arguments of "deploy" do not match the schema in .*:4: env: .*staging/);
    const { decision } = await policy.explain({ tool: 'deploy', args: misfit });
    expect(decision).toEqual(refused);
  });

  it(proves('G17')('is enforced by a guard after the schema of the code, and fills in nothing'), async () => {
    const schema = toStandardSchema({
      type: 'object',
      properties: { env: { type: 'string', default: 'prod' }, count: { type: 'integer' } },
    });
    const guard = createGuard({ tools: [{ name: 'deploy', schema }], policy: openPolicy(file(deploy), { home }) });
    const session = await guard.start();
    const turn = session.turn();
    const seen: unknown[] = [];
    const call = async (args: object): Promise<string> => {
      const result = await turn.guard({ tool: 'deploy', args }, { run: (ran) => seen.push(ran.args) });
      return result.type;
    };
    // The default of the code is there before the file looks; the default of the file never is.
    expect(await call({})).toBe('ok');
    expect(seen).toEqual([{ env: 'prod' }]);
    expect(await call(misfit)).toBe('denied');
    expect(await call({ env: 'prod', other: 1 })).toBe('denied');
    expect(await call({ env: 1 })).toBe('invalid');
    expect(seen).toHaveLength(1);
    await session.end();
  });

  it(proves('G17', 'G02')('checks args that a hook has changed'), async () => {
    const guard = createGuard({
      tools: [{ name: 'deploy' }],
      policy: openPolicy(file(deploy), { home }),
      hooks: [{ name: 'rewriter', preToolCall: () => ({ type: 'transform', value: misfit }) }],
    });
    const session = await guard.start();
    const result = await session.turn().guard({ tool: 'deploy', args: fitting }, { run: () => 'ran' });
    expect(result.type).toBe('denied');
    await session.end();
  });

  it(proves('G17')('is enforced by an agent'), async () => {
    const ran: unknown[] = [];
    const tool = defineTool({
      name: 'deploy',
      description: 'Deploys.',
      schema: { type: 'object' },
      run: (args) => ran.push(args),
    });
    const calls = [misfit, fitting].map((args) => ({ tool: 'deploy', args }));
    const agent = createAgent({
      model: scriptedModel([{ toolCalls: calls }, 'Done.']),
      tools: [tool],
      policy: openPolicy(file(deploy), { cwd: folder, home }),
      cwd: folder,
    });
    await agent.start();
    await agent.chat('Deploy');
    await agent.stop();
    expect(ran).toEqual([fitting]);
  });

  it(proves('G17', 'D05')('is enforced in every layer, regardless of the others'), async () => {
    const upper = file(
      'version: 1\ntools: { deploy: { schema: { properties: { env: { const: staging } } } } }\nrules: []\n',
    );
    const policy = load(deploy.replace('default: deny', `extends: ${JSON.stringify(upper)}\ndefault: deny`));
    const effect = async (args: object): Promise<string> => (await policy.decide({ tool: 'deploy', args })).effect;
    expect(await effect({ env: 'staging' })).toBe('allow');
    expect(await effect({ env: 'prod' })).toBe('deny');
    expect(await effect({ env: 'staging', other: 1 })).toBe('deny');
  });

  it(proves('G17', 'D12')('of an untrusted file is enforced'), async () => {
    const text = 'version: 1\ntools: { view_file: { schema: { properties: { file_path: { pattern: ^docs/ } } } } }\n';
    const policy = loadPolicy(file(text), { cwd: folder, home, tools: builtinTools, untrusted: safeDefaults() });
    expect(policy.trusted).toBe(false);
    expect(await policy.decide({ tool: 'view_file', args: { file_path: 'src/a' } })).toMatchObject({ effect: 'deny' });
  });

  it(proves('G17', 'P15')('may name a tool by an alias, and sees the canonical names of arguments'), async () => {
    const policy = load(`version: 1
tools: { read_file: { schema: { properties: { file_path: { pattern: ^docs/ } }, required: [file_path] } } }
rules: [{ allow: view_file }]
`);
    const effect = async (args: object): Promise<string> => (await policy.decide({ tool: 'view_file', args })).effect;
    expect(await effect({ path: 'docs/a' })).toBe('allow');
    expect(await effect({ path: 'src/a' })).toBe('deny');
  });

  it(proves('G17', 'M02')('of an MCP tool applies to that tool only'), async () => {
    const policy = load(`version: 1
servers: [github]
tools: { github/search: { schema: { required: [q] } } }
rules: [{ allow: '*' }]
`);
    const effect = async (call: { tool: string; server?: string }): Promise<string> =>
      (await policy.decide({ ...call, args: {} })).effect;
    expect(await effect({ tool: 'search', server: 'github' })).toBe('deny');
    expect(await effect({ tool: 'list', server: 'github' })).toBe('allow');
    expect(await effect({ tool: 'search' })).toBe('allow');
  });

  it(proves('G17', 'P14')('for a misspelled tool is a warning of the guard, which a missing tool is not'), () => {
    expect(warnings('deploi')).toEqual([expect.stringContaining('no tool is named "deploy"; did you mean "deploi"?')]);
    expect(warnings('weather')).toEqual([]);
  });

  it(proves('G17', 'D06')('is enforced in the tests of the file'), async () => {
    const report = await testPolicy(
      load(`${deploy}tests:\n  - { call: deploy, args: { env: elsewhere }, expect: deny, rule: schema of deploy }\n`),
    );
    expect(report.summary).toMatchObject({ passed: 1, failed: 0 });
  });

  it(proves('G17', 'D09')('that changes is found by diff'), async () => {
    const changed = await diffPolicies(load(deploy), load(deploy.replace('required: [env]', 'required: [count]')));
    expect(changed.flips).toMatchObject([{ change: 'stricter' }, { change: 'looser' }]);
    expect(changed.summary.complete).toBe(false);
    const narrower = await diffPolicies(load(deploy), load(deploy.replace('integer', 'number')));
    expect([narrower.flips, narrower.unshown.map(({ rule }) => rule)]).toEqual([
      [],
      ['schema of deploy', 'schema of deploy'],
    ]);
    expect((await diffPolicies(load(deploy), load(deploy))).summary.complete).toBe(true);
  });

  it(proves('G17', 'D09')('is enforced in a replay, and is unknown if a value is masked'), async () => {
    const journal = memoryJournal();
    const guard = createGuard({
      tools: [{ name: 'deploy' }],
      policy: allowAll(),
      journal,
      mask: maskSecrets({ key: 'k', env: {} }),
    });
    const session = await guard.start();
    for (const args of [fitting, misfit, { env: 'prod', password: 'hunter2' }])
      await session.turn().guard({ tool: 'deploy', args }, { run: () => 'ran' });
    await session.end();
    const lines = journal.records.map(recordLine);
    const found: string[] = [];
    for await (const event of replayJournal(lines, load(deploy))) found.push(event.type);
    expect(found).toEqual(['flip', 'cannot tell', 'report']);
  });
});

/** What loading a file with this schema reports, with line and column. */
function problems(schema: string): string {
  try {
    load(`version: 1\ntools:\n  deploy:\n    schema:\n      ${schema}\n`);
    return '';
  } catch (error) {
    return String((error as Error).message).replaceAll(/^.*?yaml:/gm, '');
  }
}

describe('a schema that cannot be enforced', () => {
  it.each([
    ['type: array', '5:7: the schema cannot be used: the schema is for "array"'],
    [
      'requred: [a]',
      '5:7: the schema cannot be used: requred is not a keyword of JSON Schema; did you mean "required"?',
    ],
    ['properties: { a: { type: strin } }', '5:26: the schema cannot be used: properties/a/type is not a type of JSON'],
    [
      'properties: { a: { pattern: "(?=a)b" } }',
      '5:26: the schema cannot be used: properties/a/pattern has the pattern "(?=a)b"',
    ],
    ['patternProperties: { "(a)\\\\1": {} }', '5:7: the schema cannot be used: patternProperties has the pattern'],
    ['properties: { a: { $dynamicRef: "#a" } }', '5:21: the schema cannot be used: properties/a uses $dynamicRef'],
    ['$ref: "https://example.com/a.json"', '5:7: the schema cannot be used: a $ref has no target'],
    ['{ $defs: { a: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }', 'a $ref leads back to itself'],
  ])(proves('G17', 'D01', 'D03')('is a load error with its position: %s'), (schema, expected) => {
    expect(problems(schema)).toContain(expected);
  });

  it.each([
    'typ',
    'maxLen',
    'maximumLength',
    'props',
    'property',
    'additionalProps',
    'mandatory',
    'regex',
    'constructor',
  ])(proves('G17', 'D01')('has an unknown keyword: %s'), (keyword) => {
    expect(problems(`{ properties: { a: { ${keyword}: 1 } } }`)).toContain('is not a keyword of JSON Schema');
  });

  it(proves('G17', 'D01')('has a keyword of old drafts only'), () => {
    expect(problems('{ properties: { a: { minimum: 1, exclusiveMinimum: true } } }')).toContain('use the bound itself');
  });

  it(proves('G17', 'D01')('is not one with annotations of other tools'), () => {
    expect(
      problems('{ title: A, x-order: 1, nullable: true, properties: { a: { format: uri, description: b } } }'),
    ).toBe('');
  });
});

describe('patterns in schemas', () => {
  it(
    proves('D03', 'G17')('are RE2: no string stalls a call, and a string that does not match is rejected'),
    async () => {
      const policy = load(`version: 1
tools: { a: { schema: { properties: { x: { pattern: '^(a+)+$' }, y: { pattern: '(?i)^ok$' } } } } }
rules: [{ allow: a }]
`);
      const effect = async (args: object): Promise<string> => (await policy.decide({ tool: 'a', args })).effect;
      expect(await effect({ x: `${'a'.repeat(50_000)}!` })).toBe('deny');
      expect(await effect({ x: 'a'.repeat(50_000) })).toBe('allow');
      expect(await effect({ y: 'OK' })).toBe('allow');
      expect(await effect({ y: 'no' })).toBe('deny');
    },
  );

  it(proves('G17')('agree with JavaScript if both have the same syntax'), async () => {
    const piece = fc.constantFrom('a', 'b', '[ab]', 'a*', '(a|b)', 'b+', '.', 'a{2}', '[^a]');
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => `^${pieces.join('')}$`);
    await fc.assert(
      fc.asyncProperty(pattern, fc.stringMatching(/^[abc]{0,5}$/), async (text, value) => {
        const policy = load(
          JSON.stringify({
            version: 1,
            tools: { t: { schema: { properties: { x: { pattern: text, minLength: 0 } } } } },
            rules: [{ allow: 't' }],
          }),
        );
        const { effect } = await policy.decide({ tool: 't', args: { x: value } });
        return (effect === 'allow') === new RegExp(text, 'u').test(value);
      }),
      { numRuns: runs(100) },
    );
  });
});
