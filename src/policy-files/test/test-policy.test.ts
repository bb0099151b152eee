/** `tests:` of policy files: cases, what they bring up, and cases that must not pass by accident. */

import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { documentOf, policyOf } from '../../../test/rigs/policy-rig.ts';
import { testPolicy } from './test-policy.ts';

const conditions = {
  'args.force == true': ({ force }: { readonly [name: string]: unknown }) => force === true,
};

describe('testPolicy', () => {
  it(proves('D06')('reports for every test what was expected, the decision, its rule and its position'), async () => {
    const document = documentOf({
      rules: [
        ['allow', ['view', 'list']],
        ['deny', 'push', { name: 'no force', when: 'args.force == true', reason: 'No force' }],
        ['ask', 'push'],
        ['allow', 'never'],
      ],
      tests: [
        { tool: 'view', args: {}, expect: 'allow' },
        { name: 'force is refused', tool: 'push', args: { force: true }, expect: 'deny', rule: 'no force' },
        { tool: 'push', args: {}, expect: 'allow' },
        { tool: 'push', args: { force: true }, expect: 'deny', rule: 'ask push' },
        { tool: 'push', args: { force: true }, expect: 'deny', rule: 'no farce' },
        { tool: 'other', args: {}, expect: 'deny', rule: 'no force' },
      ],
    });
    const { cases, coverage, summary } = await testPolicy(policyOf([document], { conditions }));
    expect(cases.map(({ passed }) => passed)).toEqual([true, true, false, false, false, false]);
    expect(cases[1]).toMatchObject({
      name: 'force is refused',
      file: 'bridle.yaml',
      at: { line: 102 },
      expected: { effect: 'deny', rule: 'no force' },
      got: { effect: 'deny', reason: 'No force', rule: { name: 'no force', at: 'bridle.yaml:2' } },
    });
    expect(cases.slice(2).map(({ problem }) => problem)).toEqual([
      'expected allow, got ask: May push run? Rule "ask push" (bridle.yaml:3) asks first',
      'expected the rule "ask push", but "no force" decided',
      'no rule is named "no farce"; did you mean "no force"?',
      'expected the rule "no force", but the default decided',
    ]);
    expect(coverage.map(({ target, status, decided, reached }) => [target, status, decided, reached])).toEqual([
      ['view', 'decided', 1, 1],
      ['list', 'never', 0, 0],
      ['push', 'decided', 3, 4],
      ['push', 'decided', 1, 1],
      ['never', 'never', 0, 0],
    ]);
    expect(summary).toEqual({ cases: 6, passed: 2, failed: 4, rules: 5, decided: 3, reached: 0, never: 2 });
    expect(JSON.parse(JSON.stringify({ cases, coverage, summary }))).toEqual({ cases, coverage, summary });
  });

  it(proves('D06')('fails a test whose call is invalid, although it is denied'), async () => {
    const schema = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'wrong' }] }) },
    } as const;
    const document = documentOf({ rules: [['deny', 'push']], tests: [{ tool: 'push', args: {}, expect: 'deny' }] });
    const { cases, summary } = await testPolicy(policyOf([document], { tools: [{ name: 'push', schema }] }));
    expect(summary.failed).toBe(1);
    expect(cases[0]?.problem).toContain('cannot be read');
  });

  it(proves('D06')('runs the tests of all layers against the whole policy, starting with its own file'), async () => {
    const tests = [{ tool: 'push', args: {}, expect: 'ask' }] as const;
    const upper = documentOf({ file: 'org.yaml', rules: [['ask', 'push']], tests });
    const lower = documentOf({ file: 'own.yaml', rules: [['allow', 'push', { name: 'mine' }]], tests });
    const { cases, coverage } = await testPolicy(policyOf([upper, lower]));
    expect(cases.map(({ file, passed, got }) => [file, passed, got.rule?.at])).toEqual([
      ['own.yaml', true, 'org.yaml:1'],
      ['org.yaml', true, 'org.yaml:1'],
    ]);
    expect(coverage.map(({ file, decided }) => [file, decided])).toEqual([
      ['org.yaml', 2],
      ['own.yaml', 2],
    ]);
  });

  it(proves('D06')('fails a test with an unknown name, although the default denies it'), async () => {
    const tools = [{ name: 'run_command', args: ['command_line'] }];
    const document = documentOf({
      rules: [
        ['deny', 'run_command'],
        ['allow', 'own_tool'],
      ],
      tests: [
        { tool: 'run_comand', args: {}, expect: 'deny' },
        { tool: 'run_command', args: { comand_line: 'x' }, expect: 'deny' },
        { tool: 'run_command', args: { command_line: 'x' }, expect: 'deny' },
        { tool: 'own_tool', args: { any: 1 }, expect: 'allow' },
        { tool: 'unheard', args: {}, expect: 'deny' },
        { tool: 'push', server: 'gihub', args: {}, expect: 'deny' },
      ],
    });
    const { cases } = await testPolicy(policyOf([document], { tools, servers: [{ name: 'github' }] }));
    expect(cases.map(({ passed }) => passed)).toEqual([false, false, true, true, true, false]);
    expect(cases.flatMap(({ problem }) => problem ?? [])).toEqual([
      'the call cannot be read: no tool is named "run_comand"; did you mean "run_command"?',
      'the call cannot be read: "run_command" has no argument "comand_line"; did you mean "command_line"?',
      'the call cannot be read: no server is named "gihub"; did you mean "github"?',
    ]);
  });

  it(proves('D06')('lets a lower file be stricter than a test above it, but not looser'), async () => {
    const tests = [{ tool: 'push', args: {}, expect: 'allow', rule: 'open' }] as const;
    const upper = documentOf({ file: 'org.yaml', rules: [['allow', 'push', { name: 'open' }]], tests });
    const strict = documentOf({ file: 'own.yaml', rules: [['deny', 'push']] });
    const { cases } = await testPolicy(policyOf([upper, strict]));
    expect(cases).toMatchObject([{ passed: true, tightened: true, got: { effect: 'deny' } }]);
    const own = documentOf({ file: 'own.yaml', rules: [['deny', 'push']], tests });
    const swapped = await testPolicy(policyOf([documentOf({ file: 'org.yaml', rules: [['ask', 'push']] }), own]));
    expect(swapped.cases).toMatchObject([{ passed: false }]);
    const above = await testPolicy(policyOf([documentOf({ file: 'top.yaml', rules: [['deny', 'push']] }), upper]));
    expect(above.cases).toMatchObject([{ passed: false }]);
  });

  it(
    proves('D06')('accepts a name for all targets of a rule, and counts shadow rules by their hypothetical decisions'),
    async () => {
      const document = documentOf({
        rules: [
          ['deny', ['push', 'pull'], { name: 'closed' }],
          ['allow', '*', { shadow: true }],
          ['deny', 'other', { shadow: true, when: 'args.force == true' }],
        ],
        tests: [
          { tool: 'push', args: {}, expect: 'deny', rule: 'closed' },
          { tool: 'other', args: {}, expect: 'deny' },
        ],
      });
      const { cases, coverage } = await testPolicy(policyOf([document], { conditions }));
      expect(cases.map(({ passed }) => passed)).toEqual([true, true]);
      expect(coverage.map(({ target, shadow, status }) => [target, shadow, status])).toEqual([
        ['push', false, 'decided'],
        ['pull', false, 'never'],
        ['*', true, 'decided'],
        ['other', true, 'reached'],
      ]);
    },
  );

  it(proves('D06')('gives a test its folder, relative to the folder of the run, and its state'), async () => {
    const seen: unknown[] = [];
    const document = documentOf({
      rules: [['allow', 'view', { when: 'true' }]],
      tests: [
        { tool: 'view', args: {}, cwd: 'sub', state: { session: { user: 'ann' } }, expect: 'allow' },
        { tool: 'view', args: {}, expect: 'allow' },
      ],
    });
    const policy = policyOf([document], {
      conditions: {
        true: (_args, call, { state }) => {
          seen.push([call.cwd, state]);
          return true;
        },
      },
    });
    await testPolicy(policy);
    await testPolicy(policy, { cwd: '/elsewhere' });
    expect(seen).toEqual([
      ['/work/sub', { session: { user: 'ann' }, turn: {} }],
      ['/work', { session: {}, turn: {} }],
      ['/elsewhere/sub', { session: { user: 'ann' }, turn: {} }],
      ['/elsewhere', { session: {}, turn: {} }],
    ]);
  });
});
