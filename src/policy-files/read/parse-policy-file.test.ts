import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { PolicyFileRule, PolicyFile } from '../policy-file.ts';
import { parsePolicyFile } from './parse-policy-file.ts';

function problemsOf(text: string, file: string): readonly string[] {
  try {
    parsePolicyFile(text, file);
  } catch (error) {
    if (error instanceof BridleError && error.code === 'POLICY_FILE') return error.problems;
    throw error;
  }
  return [];
}

function firstRule(rule: string): PolicyFileRule | undefined {
  return parsePolicyFile(`version: 1\nrules:\n  - allow: a\n${rule}`, 'bridle.yaml').rules[0];
}

const whole = `version: 1
default: ask
strict: false
extends: ../org/bridle.yaml
workspaces: [., src]
servers:
  - github
  - { name: files, disabledTools: [move], paths: { read: [path] } }
tools:
  deploy: { tier: confirm, args: [x], paths: [target], touches: { writes: [target], folder: cwd }, schema: { type: object } }
rules:
  - allow: [view_file, 'github/*']
  - name: commands
    ask: run_command
    reason: >
      May it
      run?
    when: 'runs("npm")'
    grant: { timeout: 30s, output: 64KiB, approval: 2h }
    expires: 2027-01-01
    shadow: true
tests:
  - call: github/a/b
    args: { list: [1, -2.5e3, null, true, 'no'], no: yes }
    expect: deny
    rule: commands
    state: { session: { user: ada } }
  - call: { tool: a/b, server: files }
    cwd: sub
    name: two
    expect: allow
`;

const expected: PolicyFile = {
  file: 'bridle.yaml',
  version: 1,
  default: 'ask',
  strict: false,
  extends: [{ text: '../org/bridle.yaml', at: { line: 4, column: 10 } }],
  workspaces: [
    { text: '.', at: { line: 5, column: 14 } },
    { text: 'src', at: { line: 5, column: 17 } },
  ],
  servers: [
    { name: 'github', at: { line: 7, column: 5 } },
    { name: 'files', disabledTools: ['move'], paths: { read: ['path'] }, at: { line: 8, column: 5 } },
  ],
  tools: [
    {
      target: { text: 'deploy', at: { line: 10, column: 3 } },
      tier: 'confirm',
      args: ['x'],
      paths: ['target'],
      touches: { writes: ['target'], folder: 'cwd' },
      schema: { type: 'object' },
    },
  ],
  rules: [
    {
      effect: 'allow',
      targets: [
        { text: 'view_file', at: { line: 12, column: 13 } },
        { text: 'github/*', at: { line: 12, column: 24 } },
      ],
      at: { line: 12, column: 5 },
    },
    {
      effect: 'ask',
      targets: [{ text: 'run_command', at: { line: 14, column: 10 } }],
      name: 'commands',
      reason: 'May it run?',
      when: {
        text: 'runs("npm")',
        at: { line: 18, column: 11 },
        stretches: [{ offset: 0, at: { line: 18, column: 12 } }],
      },
      grant: { timeoutMs: 30_000, outputBytes: 65_536, approvalMs: 7_200_000 },
      expires: Date.UTC(2027, 0, 1),
      shadow: true,
      at: { line: 13, column: 5 },
    },
  ],
  tests: [
    {
      tool: 'a/b',
      server: 'github',
      args: { list: [1, -2500, null, true, 'no'], no: 'yes' },
      expect: 'deny',
      rule: 'commands',
      state: { session: { user: 'ada' } },
      at: { line: 23, column: 5 },
    },
    { tool: 'a/b', server: 'files', args: {}, cwd: 'sub', name: 'two', expect: 'allow', at: { line: 28, column: 5 } },
  ],
};

describe('a policy file', () => {
  it(proves('D01')('is parsed with the position of everything'), () => {
    expect(parsePolicyFile(whole, 'bridle.yaml')).toEqual(expected);
  });

  it('is JSON data after parsing', () => {
    const document = parsePolicyFile(whole, 'bridle.yaml');
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it('needs nothing but a version', () => {
    const nothing = { file: 'x', version: 1, extends: [], tools: [], rules: [], tests: [] };
    for (const text of [
      'version: 1',
      '--- # the first\nversion: 1\n...\n',
      '\ufeffversion: 1\r\n',
      '{ "version": 1 }',
    ]) {
      expect(parsePolicyFile(text, 'x')).toEqual(nothing);
    }
  });

  it(proves('D01')('is rejected as a whole, with every problem in file order'), () => {
    expect(problemsOf('versio: 1\ndefault: alow\nrules:\n  - allow: a\n    when: 1\n  - denny: b\n', 'p.yaml')).toEqual(
      [
        'p.yaml:1:1: a policy file has no key "versio"; did you mean "version"?',
        'p.yaml:1:1: the version is missing; begin with "version: 1"',
        'p.yaml:2:10: default is "alow", not allow, ask or deny; did you mean "allow"?',
        'p.yaml:5:11: when is the number 1; put it in quotes if you mean a string',
        'p.yaml:6:5: a rule has no key "denny"; did you mean "deny"?',
      ],
    );
  });

  it('says all of it in one message too', () => {
    expect(() => parsePolicyFile('version: 1.0\nx: 1', 'p.yaml')).toThrow(
      'p.yaml:1:10: version 1.0 is not supported; this version of Bridle reads version 1\np.yaml:2:1: a policy file has no key "x"',
    );
  });

  it('is not affected by properties of the object prototype', () => {
    const { rules, tests } = parsePolicyFile('version: 1\ntests: [{ call: toString, expect: deny }]', 'p.yaml');
    expect([rules, tests[0]?.tool]).toEqual([[], 'toString']);
    expect(problemsOf('version: 1\ntests: [{ call: a, expect: deny, toString: x }]', 'p.yaml')).toHaveLength(1);
  });
});

describe('amounts and dates', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
  ])('take %s', (text, timeoutMs) => {
    expect(firstRule(`    grant: { timeout: ${text} }`)?.grant).toEqual({ timeoutMs });
  });

  it.each([
    ['512B', 512],
    ['64KiB', 65_536],
    ['1MiB', 1_048_576],
    ['2GiB', 2_147_483_648],
  ])('take %s', (text, outputBytes) => {
    expect(firstRule(`    grant: { output: ${text} }`)?.grant).toEqual({ outputBytes });
  });

  it.each([
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2027-01-01T12:00Z', '2027-01-01T12:00:00.000Z'],
    ['2027-01-01T12:00:30.5+02:00', '2027-01-01T10:00:30.500Z'],
  ])('take %s', (text, moment) => {
    expect(firstRule(`    expires: ${text}`)?.expires).toBe(Date.parse(moment));
  });

  it.each([
    '2027-02-29',
    '2027-13-01',
    '2027-00-10',
    '2027-01-01T12:00',
    '2027-01-01 12:00Z',
    '20270101',
    '+12027-01-01',
  ])('refuse %s', (text) => {
    expect(problemsOf(`version: 1\nrules: [{ allow: a, expires: '${text}' }]`, 'p.yaml')[0]).toMatch(
      /^p\.yaml:2:30: expires is the string /,
    );
  });
});

describe('a file named .json', () => {
  it.each([
    ['{ version: 1 }', '1:3: invalid JSON: a key in double quotes is missing'],
    ['{ "version": 1, }', '1:17: invalid JSON: a key in double quotes is missing'],
    ['{ "version": 1 // no\n}', '1:16: invalid JSON: a "," or "}" is missing'],
    ['{ "version": 1 } {}', '1:18: invalid JSON: there is text after the end of the JSON'],
    ['{ "version": 1, "rules": [1 2] }', '1:29: invalid JSON: a "," or "]" is missing'],
    ['{ "version": 01 }', '1:14: invalid JSON: "01" is not JSON; put strings in double quotes'],
    ['{ "version": NaN }', '1:14: invalid JSON: "NaN" is not JSON; put strings in double quotes'],
    ["{ 'version': 1 }", '1:3: invalid JSON: a key in double quotes is missing'],
    ['{ "version" 1 }', '1:13: invalid JSON: a ":" is missing'],
    ['{ "version": }', '1:14: invalid JSON: a value is missing'],
    [
      '{ "version": 1,\n "default": "a\\x20" }',
      '2:13: invalid JSON: this string has an escape that is not valid in JSON',
    ],
    ['{ "version": 1,\n "default": "ask\n" }', '2:17: invalid JSON: a string has no closing quote on its line'],
    ['{ "version": 1, "version": 1 }', '1:17: the key "version" appears twice'],
    ['{ "version": 1, "defalt": "ask" }', '1:17: a policy file has no key "defalt"; did you mean "default"?'],
    [
      '{ "version": 1, "tests": [{ "call": "a", "expect": "deny", "args": { "__proto__": 1 } }] }',
      '1:70: the key "__proto__" is not allowed',
    ],
    ['version: 1', '1:1: invalid JSON: "version" is not JSON; put strings in double quotes'],
  ])(proves('D01')('is strict: %j'), (text, problem) => {
    expect(problemsOf(text, 'p.json')).toEqual([`p.json:${problem}`]);
  });

  it('gives the same result as YAML for the same data', () => {
    const text = '{"version": 1,\n "rules": [{"allow": ["a", "b/*"], "when": "true", "name": "no"}]}';
    expect(parsePolicyFile(text, 'x.json')).toEqual({ ...parsePolicyFile(text, 'x'), file: 'x.json' });
  });

  it('is parsed like JSON.parse, for any data', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat({ max: 2 }), (given, spaces) => {
        const data = JSON.stringify({ data: JSON.parse(given) as unknown }, undefined, spaces);
        const text = `{"version":1,"tests":[{"call":"a","expect":"deny","args":${data}}]}`;
        const problems = problemsOf(text, 'p.json');
        if (problems.length > 0) {
          expect(problems.join('\n')).toMatch(/__proto__|represented exactly|is not allowed here/);
          return;
        }
        expect(parsePolicyFile(text, 'p.json').tests[0]?.args).toEqual(JSON.parse(data));
      }),
      { numRuns: runs(200) },
    );
  });

  it('is rejected if JSON.parse rejects it', () => {
    const text =
      '{"version": 1, "tests": [{"call": "a", "expect": "deny", "args": {"a": [1.5e3, null, "\\u0041\\n"]}}]}';
    const sign = fc.constantFrom(...'{}[]",:\\ \n09.-+eatu/#'.split(''), '');
    fc.assert(
      fc.property(fc.nat({ max: text.length }), fc.nat({ max: 2 }), sign, (at, cut, sign) => {
        const other = text.slice(0, at) + sign + text.slice(at + cut);
        const taken = problemsOf(other, 'p.json').length === 0;
        if (taken) expect(() => JSON.parse(other) as unknown).not.toThrow();
        if (problemsOf(other, 'p.json').some((problem) => problem.includes('not JSON'))) {
          expect(() => JSON.parse(other) as unknown).toThrow(SyntaxError);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('text that is broken anywhere', () => {
  it(proves('D03')('always results in a policy file or in POLICY_FILE with a position'), () => {
    const sign = fc.constantFrom(
      ...'{}[]",:\\ \n\t\r-?|>&*!%@`#~\'<\0\ufeff\u2028'.split(''),
      '---',
      '\n...\n',
      '<<: ',
      ': ',
      '- ',
      '',
    );
    fc.assert(
      fc.property(
        fc.nat({ max: whole.length }),
        fc.nat({ max: 9 }),
        fc.array(sign, { maxLength: 3 }),
        (at, cut, signs) => {
          for (const problem of problemsOf(whole.slice(0, at) + signs.join('') + whole.slice(at + cut), 'p.yaml')) {
            expect(problem).toMatch(/^p\.yaml(:[1-9]\d*:[1-9]\d*)?: \S/);
            expect(problem).not.toContain('cannot be read');
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
