/** Differences between policies: complete without conditions, and nothing told that the policies do not confirm. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { documentOf, policyOf, type RigDocument, type RigWorld } from '../../../test/rigs/policy-rig.ts';
import { runs } from '../../../test/property-runs.ts';
import { diffPolicies } from './diff-policies.ts';

const tools = [{ name: 'view' }, { name: 'push' }, { name: 'push', server: 'gh' }];
const targets = ['view', 'push', 'gh/push', 'gh/other', 'db/push', 'gh/*', 'db/*', '*'];
const effects = ['allow', 'ask', 'deny', 'forbid'] as const;
const fallbacks = fc.constantFrom('allow', 'ask', 'deny', undefined);
const ruleSets = fc.array(fc.tuple(fc.constantFrom(...effects), fc.constantFrom(...targets)), { maxLength: 6 });
const documents = fc.record({ rules: ruleSets, default: fallbacks }).map((given) => documentOf(given as RigDocument));
const calls = [undefined, 'gh', 'db', 'unheard'].flatMap((server) =>
  ['view', 'push', 'other', 'unheard'].map((tool) => (server === undefined ? { tool } : { tool, server })),
);

describe('diffPolicies', () => {
  it(proves('D09')('finds every kind of call that changes if rules have no conditions'), async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, async (one, other) => {
        const [before, after] = [policyOf([one], { tools }), policyOf([other], { tools })];
        const { flips, summary } = await diffPolicies(before, after);
        expect(summary.complete).toBe(true);
        const told = new Set(
          flips.map((flip) =>
            JSON.stringify([flip.before.rule?.at, flip.before.decision, flip.after.rule?.at, flip.after.decision]),
          ),
        );
        for (const call of calls) {
          const [was, now] = [await before.decide(call), await after.decide(call)];
          if (was.effect !== now.effect) {
            expect(told).toContain(JSON.stringify([was.rule?.at, was.effect, now.rule?.at, now.effect]));
          }
        }
        for (const flip of flips) {
          const [was, now] = [await before.decide(flip.call), await after.decide(flip.call)];
          expect([was.effect, now.effect]).toEqual([flip.before.decision, flip.after.decision]);
          expect(was.effect).not.toBe(now.effect);
          const order = ['allow', 'ask', 'deny'];
          expect(flip.change).toBe(order.indexOf(now.effect) > order.indexOf(was.effect) ? 'stricter' : 'looser');
        }
        expect(summary.stricter + summary.looser).toBe(flips.reduce((sum, { similar }) => sum + 1 + similar, 0));
      }),
      { numRuns: runs(300) },
    );
  });

  it(proves('D09')('reports nothing for equal policies, and the opposite for swapped policies'), async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, async (one, other) => {
        const [before, after] = [policyOf([one], { tools }), policyOf([other], { tools })];
        expect((await diffPolicies(before, policyOf([one], { tools }))).flips).toEqual([]);
        const there = await diffPolicies(before, after);
        const back = await diffPolicies(after, before);
        expect([back.summary.stricter, back.summary.looser]).toEqual([there.summary.looser, there.summary.stricter]);
      }),
      { numRuns: runs(100) },
    );
  });

  const shell = { name: 'run_command', touches: { bash: ['command_line'] } };
  const file = { name: 'create_file', paths: ['file_path'], touches: { writes: ['file_path'] } };
  const url = { name: 'fetch', touches: { urls: ['url'] } };
  const conditions: RigWorld['conditions'] = {
    'runsOnly("npm test", "git status")': (args) => ['npm test', 'git status'].includes(args['command_line'] as string),
    'runsOnly("npm test")': (args) => args['command_line'] === 'npm test',
    'writes("**/.env")': (args) => /(^|\/)\.env$/.test(args['file_path'] as string),
    'underDomain("example.com")': (args) => /[./]example\.com\//.test(args['url'] as string),
    'args.count > 3 && args.mode == "fast"': (args) => Number(args['count']) > 3 && args['mode'] === 'fast',
    'session.user == "ann"': (_args, _call, { state }) => state.session['user'] === 'ann',
  };
  const cases: Record<string, readonly [RigDocument['rules'], RigDocument['rules'], string]> = {
    commands: [
      [['allow', 'run_command', { when: 'runsOnly("npm test", "git status")' }]],
      [['allow', 'run_command', { when: 'runsOnly("npm test")' }]],
      'git status',
    ],
    files: [
      [['allow', 'create_file']],
      [
        ['allow', 'create_file'],
        ['forbid', '*', { when: 'writes("**/.env")' }],
      ],
      '.env',
    ],
    hosts: [[], [['allow', 'fetch', { when: 'underDomain("example.com")' }]], 'example.com'],
    values: [[['ask', 'other', { when: 'args.count > 3 && args.mode == "fast"' }]], [], 'fast'],
    state: [[['allow', 'other', { when: 'session.user == "ann"' }]], [], 'ann'],
  };
  for (const [name, [one, other, text]] of Object.entries(cases)) {
    it(proves('D09')(`finds changed conditions by their literals: ${name}`), async () => {
      const world = { tools: [shell, file, url], conditions };
      const [before, after] = [one, other].map((rules) => policyOf([documentOf({ rules })], world));
      const { flips, summary } = await diffPolicies(before as never, after as never);
      expect(flips.map(({ call }) => JSON.stringify(call)).join()).toContain(text);
      expect(summary.complete).toBe(false);
    });
  }

  it(proves('D09')('tries the tests of both policies and the given calls individually'), async () => {
    const tests = [{ tool: 'push', args: { to: 'main' }, expect: 'ask' }] as const;
    const before = policyOf([documentOf({ rules: [['ask', 'push']], tests })]);
    const after = policyOf([documentOf({ rules: [['deny', 'push']] })]);
    const given = [
      { tool: 'push', args: { n: 1 } },
      { tool: 'push', args: { n: 2 } },
      { tool: 'view', args: {} },
    ];
    const { flips } = await diffPolicies(before, after, { calls: given });
    expect(flips.map(({ from, change, call }) => [from, change, call.args])).toEqual([
      ['target', 'stricter', {}],
      ['test', 'stricter', { to: 'main' }],
      ['given', 'stricter', { n: 1 }],
      ['given', 'stricter', { n: 2 }],
    ]);
    expect(flips[0]).toMatchObject({
      before: { rule: { at: 'bridle.yaml:1', effect: 'ask' } },
      after: { decision: 'deny' },
    });
    expect(JSON.parse(JSON.stringify(flips))).toEqual(flips);
  });

  it(proves('D09')('reports changed rules for which no call shows a difference'), async () => {
    const long: RigWorld['conditions'] = {
      'args.n.size() > 5000': ({ n }) => typeof n === 'string' && n.length > 5000,
    };
    const load = (rules: RigDocument['rules']) => policyOf([documentOf({ rules })], { conditions: long });
    const rule: RigDocument['rules'][number] = ['deny', 'push', { when: 'args.n.size() > 5000' }];
    const plain: RigDocument['rules'][number] = ['allow', '*'];
    const gone = await diffPolicies(load([rule, plain]), load([plain]));
    expect(gone.flips).toEqual([]);
    expect(gone.unshown).toMatchObject([{ side: 'before', rule: 'deny push' }]);
    expect((await diffPolicies(load([plain]), load([rule, plain]))).unshown).toMatchObject([{ side: 'after' }]);
    expect((await diffPolicies(load([rule, plain]), load([rule, plain]))).unshown).toEqual([]);
  });

  it(proves('D09')('reports that it stopped at the limit'), async () => {
    const rules = Array.from({ length: 50 }, (_, index) => ['allow', `tool_${index}`] as ['allow', string]);
    const { summary } = await diffPolicies(policyOf([documentOf({ rules })]), policyOf([documentOf({ rules: [] })]), {
      maxCalls: 10,
    });
    expect(summary).toMatchObject({ calls: 10, cut: true, complete: false });
  });
});
