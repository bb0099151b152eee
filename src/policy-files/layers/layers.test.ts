/** Layers against a naive evaluation of the contract: each alone, the strictest wins, no match abstains (D05). */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { sample } from '../../../test/property-runs.ts';
import { type Answer, decideByReference } from '../../../test/reference/policy.ts';
import type { Effect } from '../../kernel/call.ts';
import type { PolicyFile } from '../policy-file.ts';
import { policyFromFiles } from '../load/load-policy.ts';

const place = { line: 1, column: 1 };
const targets = ['push', 'view', 'gh/push', 'gh/*', '*'];
const tools = ['push', 'view', 'gh/push'].map((text) => {
  const [tool = '', server] = text.split('/').toReversed();
  // A text that is no URL: whatever is asked about its host is unknown.
  return { name: tool, server, touches: { urls: ['line'] }, args: ['line'] };
});
const conditions: Readonly<Record<string, Answer>> = { true: true, false: false, 'isPublicHost()': 'unknown' };

const anyRule = fc.record({
  effect: fc.constantFrom('allow', 'deny', 'ask', 'forbid'),
  target: fc.constantFrom(...targets),
  shadow: fc.constantFrom(false, false, false, true),
  when: fc.constantFrom(undefined, 'true', 'false', 'isPublicHost()'),
  unknown: fc.constantFrom('ask' as const, 'deny' as const, undefined),
});
const randomRule = anyRule.map(({ unknown, ...rule }) => {
  const takesUnknown = (rule.effect === 'deny' || rule.effect === 'forbid') && rule.when !== undefined;
  return { ...rule, unknown: takesUnknown ? unknown : undefined };
});
const randomLayer = fc.record({
  rules: fc.array(randomRule, { maxLength: 5 }),
  default: fc.constantFrom(undefined, undefined, 'allow', 'ask', 'deny'),
});
type RandomLayer = typeof randomLayer extends fc.Arbitrary<infer T> ? T : never;

function documentOf({ rules, default: fallback }: RandomLayer, layer: number): PolicyFile {
  return {
    file: `${layer}.yaml`,
    version: 1,
    default: fallback,
    extends: [],
    servers: [{ name: 'gh', at: place }],
    tools: [],
    tests: [],
    rules: rules.map(({ effect, target, shadow, when, unknown }, index) => ({
      effect: effect as Effect,
      targets: [{ text: target, at: place }],
      name: `${layer}.${index}`,
      shadow,
      unknown,
      when: when === undefined ? undefined : { text: when, at: place, stretches: [{ offset: 0, at: place }] },
      at: place,
    })),
  };
}

function load(layers: readonly RandomLayer[]) {
  const files = layers.map((layer, index) => ({
    path: `/nowhere/${index}.yaml`,
    text: String(index),
    hash: String(index),
    policyFile: documentOf(layer, index),
    hooks: [],
    stamp: '',
    cached: false,
  }));
  return policyFromFiles(files, { cwd: '/', home: '/nowhere/home', tools, servers: ['gh'] });
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

function naive(layers: readonly RandomLayer[], call: { server: string | undefined; tool: string }): Effect {
  const declared = tools.map(({ name, server }) => ({ name, server, aliases: [] }));
  const answersWith = (fallback: Effect) =>
    layers.map(({ rules }) =>
      decideByReference(
        {
          tools: declared,
          fallback,
          answerable: true,
          rules: rules.map((rule, id) => {
            const answer = rule.when === undefined ? undefined : (conditions[rule.when] as Answer);
            return {
              ...rule,
              effect: rule.effect as Effect,
              id,
              predicate: answer === undefined ? undefined : () => answer,
            };
          }),
        },
        { ...call, mood: 0 },
      ),
    );
  const answers = answersWith('allow');
  // Where the default makes a difference, no rule has decided for sure.
  const firm = answersWith('deny').map(
    ({ effect, rule }, i) => effect === answers[i]?.effect && rule === answers[i].rule,
  );
  const decided = answers.filter(({ rule }) => rule !== undefined).map(({ effect }) => effect);
  const fallback = layers.find((layer) => layer.default !== undefined)?.default ?? 'deny';
  const unsure = answers.some(({ effect, rule }) => effect === 'ask' && rule === undefined);
  const last = unsure && fallback === 'allow' ? 'ask' : fallback;
  const all = firm.includes(true) ? decided : [...decided, last];
  return all.toSorted((a, b) => strictness[b] - strictness[a])[0] ?? 'deny';
}

describe('layers', () => {
  it(proves('D05', 'X01', 'P06', 'P19')('agree with a naive evaluation of each alone'), async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(randomLayer, { minLength: 1, maxLength: 4 }), async (layers) => {
        const policy = load(layers);
        for (const { name, server } of tools) {
          const expected = naive(layers, { server, tool: name });
          const request = { tool: name, server, args: { line: 'no url' } };
          const decision = await policy.decide(request);
          const explained = await policy.explain(request);
          expect(decision.effect).toBe(expected);
          expect(explained.decision.effect).toBe(expected);
          expect(decision.reason === '').toBe(expected === 'allow');
        }
      }),
      { numRuns: sample(300) },
    );
  });

  it(proves('D05')('below the first can only make a decision stricter, unless the first abstains'), async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(randomLayer, { minLength: 1, maxLength: 3 }), randomLayer, async (layers, lower) => {
        const [alone, both] = [load(layers), load([...layers, lower])];
        for (const { name, server } of tools) {
          const request = { tool: name, server, args: { line: 'no url' } };
          const [one, other] = [await alone.decide(request), await both.decide(request)];
          if (one.rule !== undefined) expect(strictness[other.effect]).toBeGreaterThanOrEqual(strictness[one.effect]);
        }
      }),
      { numRuns: sample(100) },
    );
  });
});
