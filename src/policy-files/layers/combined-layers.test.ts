/** Layers of policy: each is decided alone, and the strictest answer counts, whatever the rules are. */

import fc from 'fast-check';
import {
  allow,
  ask,
  BridleError,
  compilePolicy,
  deny,
  forbid,
  type Decision,
  type JsonObject,
  type Policy,
  type ToolCall,
} from 'bridle';
import type { CheckedPath } from '../../kernel/call.ts';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import {
  decideByReference,
  type Answer,
  type ReferenceCall,
  type ReferencePolicy,
} from '../../../test/reference/policy.ts';
import { testCall } from 'bridle/testing';
import type { PolicyEvaluator } from '../../kernel/policy/evaluator/policy.ts';
import { Layers } from './layers.ts';

const tools = [
  { server: undefined, name: 'view', aliases: ['read'] },
  { server: undefined, name: 'push', aliases: [] },
  { server: 'gh', name: 'push', aliases: [] },
  { server: 'gh', name: 'view', aliases: [] },
] as const;
const targets = ['view', 'read', 'push', 'gh/push', 'gh/view', 'gh/*', '*'];
const answers = [true, false, 'unknown', 'failure'] as const;
const builders = { deny, forbid };
const otherBuilders = { allow, ask };

const anyRule = fc.record({
  effect: fc.constantFrom('allow', 'deny', 'ask', 'forbid'),
  target: fc.constantFrom(...targets),
  shadow: fc.constantFrom(false, false, false, true),
  /** What its predicate says for each of two moods; none if undefined. */
  says: fc.option(fc.tuple(fc.constantFrom(...answers), fc.constantFrom(...answers)), { nil: undefined }),
  async: fc.boolean(),
  unknown: fc.constantFrom('ask' as const, 'deny' as const, undefined),
});
const randomRule = anyRule.map(({ unknown, ...rule }) => {
  const takesUnknown = (rule.effect === 'deny' || rule.effect === 'forbid') && rule.says !== undefined;
  return { ...rule, unknown: takesUnknown ? unknown : undefined };
});
type RandomRule = typeof randomRule extends fc.Arbitrary<infer T> ? T : never;
const layer = fc.record({
  rules: fc.array(randomRule, { maxLength: 7 }),
  fallback: fc.constantFrom('allow', 'allow', 'ask', 'deny'),
});
type Layer = typeof layer extends fc.Arbitrary<infer T> ? T : never;

function answer(says: Answer, async: boolean): boolean {
  if (says === 'failure') throw new TypeError('broken');
  if (says === 'unknown') throw new BridleError('FACT_UNKNOWN', 'nobody knows');
  return (async ? Promise.resolve(says) : says) as boolean;
}

function engine({ rules, fallback }: Layer, name: string): Policy {
  const made = rules.map(({ effect, target, shadow, says, async, unknown }, id) => {
    const when = says === undefined ? undefined : (args: JsonObject) => answer(says[args['mood'] as 0 | 1], async);
    const options = { name: `${name}${id}`, shadow, when };
    return effect === 'deny' || effect === 'forbid'
      ? builders[effect](target, { ...options, unknown })
      : otherBuilders[effect](target, options);
  });
  const declared = tools.map(({ server, name: tool, aliases }) => ({
    server,
    name: tool,
    aliases: { names: aliases },
  }));
  return compilePolicy(made, { tools: declared, servers: ['gh'], approver: () => true, default: fallback });
}

const predicate = (says: RandomRule['says']) =>
  says === undefined ? undefined : ({ mood }: ReferenceCall) => says[mood as 0 | 1];

function reference({ rules, fallback }: Layer): ReferencePolicy {
  return {
    rules: rules.map(({ says, ...rule }, id) => ({ ...rule, id, predicate: predicate(says) })),
    tools,
    fallback,
    answerable: true,
  };
}

const strictness = { allow: 0, ask: 1, deny: 2 };

/** The contract in plain words: every layer alone, the strictest counts, and everybody who asks is asked. */
function naive(layers: readonly Layer[], call: ReferenceCall): { effect: string; rules: readonly string[] } {
  const alone = layers.map((each, index) => {
    const { effect, rule, further } = decideByReference(reference(each), call);
    const named = [rule, ...further].map((id) => (id === undefined ? 'default' : `${'abc'[index]}${id}`));
    return { effect, rules: named };
  });
  const effect = alone.map((each) => each.effect).reduce((a, b) => (strictness[b] > strictness[a] ? b : a));
  const saying = alone.filter((each) => each.effect === effect).flatMap(({ rules }) => rules);
  return { effect, rules: effect === 'ask' ? saying : saying.slice(0, 1) };
}

function real({ effect, rule, additionalQuestions = [] }: Decision): { effect: string; rules: readonly string[] } {
  return {
    effect,
    rules: [rule, ...additionalQuestions.map((each) => each.rule)].map((each) => each?.name ?? 'default'),
  };
}

function call(server: string | undefined, tool: string, mood = 0): ToolCall {
  return { ...testCall({ tool, args: { mood } }), server };
}

const granting = (grant: object) => compilePolicy([allow('*', { grant })], { tools: [{ name: 'push' }] });

const yes = (): boolean => true;

const saying = (paths: readonly CheckedPath[]): PolicyEvaluator => ({
  version: 'v',
  timeoutMs: 1,
  evaluate: () => ({ effect: 'allow', rule: undefined, reason: '', grant: undefined, paths, constant: false }),
  shadows: () => [],
  detailsOf: () => undefined,
});

const layered = (upper: PolicyEvaluator, lower: PolicyEvaluator) =>
  new Layers(
    [upper, lower].map((policy) => ({ policy, default: 'own' as const })),
    () => `${upper.version}+${lower.version}`,
  );

const decide = (upper: readonly CheckedPath[], lower: readonly CheckedPath[]) =>
  layered(saying(upper), saying(lower)).evaluate(call(undefined, 'push'), { name: 'push' }) as Decision;

describe('layers of policy', () => {
  it(proves('A13', 'P19')('agree with a naive evaluation of each alone, two and three deep'), async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(layer, { minLength: 2, maxLength: 3 }), async (layers) => {
        const judges = layers.map((each, index) => engine(each, 'abc'[index] as string) as PolicyEvaluator);
        const combined = judges.reduce((upper, lower) => layered(upper, lower));
        for (const tool of tools) {
          for (const mood of [0, 1]) {
            const { server, name, aliases } = tool;
            const declared = { server, name, aliases: { names: aliases } };
            const decision = await combined.evaluate(call(server, name, mood), declared);
            const [found, wanted] = [real(decision), naive(layers, { server, tool: name, mood })];
            if (JSON.stringify(found) !== JSON.stringify(wanted)) expect(found).toEqual(wanted);
            if (decision.effect !== 'allow' && decision.reason === '') expect.fail('a decision without a reason');
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it(proves('A13')('no layer can allow what another one denies, in any order'), async () => {
    const open = compilePolicy([allow('push'), allow('*')], { tools: [{ name: 'push' }] });
    for (const closed of [deny('push'), forbid('*'), deny('*'), allow('push', { when: () => 1 as never })]) {
      const shut = compilePolicy([closed], { tools: [{ name: 'push' }] });
      for (const judge of [layered(open, shut), layered(shut, open)]) {
        expect(await judge.evaluate(call(undefined, 'push'), { name: 'push' })).toMatchObject({ effect: 'deny' });
      }
    }
  });

  it(proves('A13')('a layer below a deny is not even asked; one that fails denies'), async () => {
    let asked = 0;
    const counting = compilePolicy([allow('*', { when: () => (asked++, true) })], { tools: [{ name: 'push' }] });
    const shut = compilePolicy([deny('*')], { tools: [{ name: 'push' }] });
    await layered(shut, counting).evaluate(call(undefined, 'push'), { name: 'push' });
    expect(asked).toBe(0);
    const broken = compilePolicy([allow('*', { when: () => Promise.reject(new TypeError('no')) })], {
      tools: [{ name: 'push' }],
    });
    const open = compilePolicy([allow('*')], { tools: [{ name: 'push' }] });
    expect(await layered(open, broken).evaluate(call(undefined, 'push'), { name: 'push' })).toMatchObject({
      effect: 'deny',
    });
  });

  it(proves('A13', 'P18')('grants only narrow, whichever layer gives them'), async () => {
    const judge = layered(granting({ timeoutMs: 100, outputBytes: 5 }), granting({ timeoutMs: 50, outputBytes: 9 }));
    const { grant } = await judge.evaluate(call(undefined, 'push'), { name: 'push' });
    expect(grant).toMatchObject({ timeoutMs: 50, outputBytes: 5 });
    const none = compilePolicy([allow('*')], { tools: [{ name: 'push' }] });
    const lower = await layered(none, granting({ timeoutMs: 7 })).evaluate(call(undefined, 'push'), {
      name: 'push',
    });
    expect(lower.grant).toMatchObject({ timeoutMs: 7 });
  });

  it(proves('A13')('keep handlers, places, shadows and versions of all layers apart'), async () => {
    const upper = compilePolicy(
      [ask('push', { name: 'one', handler: yes }), deny('*', { shadow: true, name: 'shade' })],
      {
        tools: [{ name: 'push' }],
      },
    );
    const lower = compilePolicy([ask('push', { name: 'one', handler: () => false }), deny('push', { shadow: true })], {
      tools: [{ name: 'push' }],
    });
    const judge = layered(upper, lower);
    const [above, below] = [upper.rules[0], lower.rules[0]];
    if (above === undefined || below === undefined) throw new RangeError('no rules');
    expect(judge.detailsOf(above)?.handler).toBe(yes);
    expect(judge.detailsOf(below)?.handler).not.toBe(yes);
    expect(judge.detailsOf({ ...above })).toBeUndefined();
    // In any nesting, each rule has an id of its own.
    const third = compilePolicy([ask('push')], { tools: [{ name: 'push' }], approver: yes });
    const nested = layered(judge, third);
    const ids = [...upper.rules, ...lower.rules, ...third.rules].map((rule) => nested.detailsOf(rule)?.id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
    const shadows = judge.shadows(call(undefined, 'push'), { name: 'push' }).map((evaluate) => evaluate());
    expect(await Promise.all(shadows)).toHaveLength(2);
    expect(new Set([judge.version, upper.version, layered(lower, upper).version]).size).toBe(3);
  });

  it(
    proves('A13')('layers that found different files behind one path deny; the same file is listed once'),
    async () => {
      const at = ['file'];
      const seen = (path: string, inode: string): CheckedPath => ({
        at,
        given: 'f',
        path,
        identity: { device: '1', inode },
        ancestor: { path: '/', identity: { device: '1', inode: '2' } },
      });
      expect(decide([seen('/in/f', '7')], [seen('/out/f', '8')])).toMatchObject({ effect: 'deny' });
      expect(decide([seen('/in/f', '7')], [seen('/in/f', '8')])).toMatchObject({ effect: 'deny' });
      expect(decide([seen('/in/f', '7')], [seen('/in/f', '7')])).toMatchObject({
        effect: 'allow',
        paths: { length: 1 },
      });
      expect(decide([seen('/in/f', '7')], [])).toMatchObject({ effect: 'allow', paths: { length: 1 } });
      expect(decide([], [seen('/in/f', '7')])).toMatchObject({ effect: 'allow', paths: { length: 1 } });
    },
  );
});
