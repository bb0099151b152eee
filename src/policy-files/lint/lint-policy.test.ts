/** Looking policies over: complete where rules have no conditions, certain where they have some, a witness for each. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { documentOf, policyOf, type RigDocument, type RigWorld } from '../../../test/rigs/policy-rig.ts';
import { runs } from '../../../test/property-runs.ts';
import type { CallRequest, Effect } from '../../kernel/call.ts';
import type { PolicyFileRule, PolicyFile } from '../policy-file.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import type { LintFinding } from './linted-policy/finding.ts';
import { lintPolicy } from './lint-policy.ts';

const tools = [
  { name: 'view', tier: 'observe', aliases: { names: ['read'] } },
  { name: 'push' },
  { name: 'push', server: 'gh' },
  { name: 'view', server: 'gh' },
] as const;
const targets = ['view', 'read', 'push', 'gh/push', 'gh/view', 'gh/other', 'db/push', 'gh/*', 'db/*', '*'];
/** One call of every kind there is: of each tool that is known or named, another one of each server, another local one. */
const calls: readonly CallRequest[] = [undefined, 'gh', 'db'].flatMap((server) =>
  ['view', 'push', 'other', 'unheard'].map((tool) => (server === undefined ? { tool } : { tool, server })),
);

const effects = ['allow', 'ask', 'deny', 'forbid'] as const;
const ruleSets = fc.array(
  fc.tuple(
    fc.constantFrom(...effects),
    fc.uniqueArray(fc.constantFrom(...targets), { minLength: 1, maxLength: 3 }),
    fc.record({ shadow: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constant(true)) }),
  ),
  { maxLength: 9 },
);

const idle = ['unreachable', 'duplicate', 'shadowed-by-layer'];
const placeIn = ({ file, at }: Pick<LintFinding, 'file' | 'at'>, rule: PolicyFileRule): string =>
  `${file}:${rule.at.line}:${rule.targets.length > 1 ? at.column : rule.targets[0]?.at.column}`;

function found(findings: readonly LintFinding[], documents: readonly PolicyFile[], kinds: readonly string[]): string[] {
  const places = findings
    .filter(({ kind }) => kinds.includes(kind))
    .map((finding) => {
      const document = documents.find(({ file }) => file === finding.file) as PolicyFile;
      return placeIn(finding, document.rules[finding.at.line - 1] as PolicyFileRule);
    });
  return places.toSorted();
}

/** The same rules, one for each target, each named after its place: so it is seen which target decides. */
function splitUp(documents: readonly PolicyFile[]): readonly PolicyFile[] {
  return documents.map((document) => ({
    ...document,
    rules: document.rules.flatMap((rule) =>
      rule.targets.map((target) => ({
        ...rule,
        targets: [target],
        name: `${document.file}:${rule.at.line}:${target.at.column}`,
      })),
    ),
  }));
}

const enforcedIn = (documents: readonly PolicyFile[]): string[] =>
  documents.flatMap(({ rules }) => rules.filter(({ shadow }) => shadow !== true).map(({ name = '' }) => name));

/** By trying every call: those that decide none in their layer. */
async function undecided(split: readonly PolicyFile[]): Promise<string[]> {
  const policy = policyOf(split, { tools });
  const deciding = new Set<string | undefined>();
  for (const call of calls) {
    const { layers } = await policy.explain(call);
    for (const { decision } of layers) deciding.add(decision.rule?.name);
  }
  return enforcedIn(split)
    .filter((name) => !deciding.has(name))
    .toSorted();
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const;
async function strictnessOf(policy: LoadedPolicy, layer: number, call: CallRequest): Promise<number> {
  const decision = (await policy.explain(call)).layers[layer]?.decision;
  return decision?.rule === undefined ? -1 : strictness[decision.effect];
}

/** By trying every call with and without a rule of the second layer: those where the first is as strict either way. */
async function overshadowed(split: readonly PolicyFile[]): Promise<string[]> {
  const [upper, lower] = split as [PolicyFile, PolicyFile];
  const whole = policyOf(split, { tools });
  const idle = await undecided(split);
  const names: string[] = [];
  for (const name of enforcedIn([lower]).filter((each) => !idle.includes(each))) {
    const without = policyOf([upper, { ...lower, rules: lower.rules.filter((rule) => rule.name !== name) }], { tools });
    let matters = false;
    for (const call of calls) {
      if ((await whole.explain(call)).layers[1]?.decision.rule?.name !== name) continue;
      const own = Math.max(await strictnessOf(whole, 1, call), await strictnessOf(without, 1, call));
      matters ||= (await strictnessOf(whole, 0, call)) < own;
    }
    if (!matters) names.push(name);
  }
  return names.toSorted();
}

describe('rules without conditions', () => {
  it(proves('D07')('are unreachable or duplicate exactly if they decide no call'), async () => {
    await fc.assert(
      fc.asyncProperty(ruleSets, async (rules) => {
        const documents = [documentOf({ rules })];
        const findings = await lintPolicy(policyOf(documents, { tools }));
        expect(found(findings, documents, ['unreachable', 'duplicate'])).toEqual(await undecided(splitUp(documents)));
      }),
      { numRuns: runs(300) },
    );
  });

  it(proves('D07')('of a lower layer have no effect exactly if the higher ones are always as strict'), async () => {
    await fc.assert(
      fc.asyncProperty(ruleSets, ruleSets, async (upper, lower) => {
        const documents = [
          documentOf({ file: 'org.yaml', rules: upper }),
          documentOf({ file: 'own.yaml', rules: lower }),
        ];
        const findings = await lintPolicy(policyOf(documents, { tools }));
        const split = splitUp(documents);
        expect(found(findings, documents, ['unreachable', 'duplicate'])).toEqual(await undecided(split));
        expect(found(findings, documents, ['shadowed-by-layer'])).toEqual(await overshadowed(split));
      }),
      { numRuns: runs(60) },
    );
  });

  it(proves('D07')('give findings whose witness the policy confirms'), async () => {
    await fc.assert(
      fc.asyncProperty(ruleSets, fc.constantFrom<Effect>('allow', 'ask', 'deny'), async (rules, fallback) => {
        const policy = policyOf([documentOf({ rules, default: fallback })], { tools });
        for (const { kind, at, witness } of await lintPolicy(policy, { answerable: false })) {
          const { effect, rule } = await policy.decide(witness.call);
          expect([effect, rule]).toEqual([witness.decision, witness.rule]);
          const line = `bridle.yaml:${at.line}`;
          if (['unreachable', 'duplicate'].includes(kind)) {
            const { considered } = (await policy.explain(witness.call)).layers[0] ?? { considered: [] };
            const own = considered.filter((each) => each.rule.at === line).map(({ outcome }) => outcome);
            expect(own).toContain('not reached');
          }
          if (kind === 'reopens' || kind === 'untested-allow') expect([effect, rule?.at]).toEqual(['allow', line]);
          if (kind === 'uncovered-tool' || kind === 'default-allow') expect(rule).toBeUndefined();
          if (kind === 'unanswerable-ask') expect(effect).toBe('ask');
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('D07')('are found to override exactly the wider denies that they precede'), async () => {
    await fc.assert(
      fc.asyncProperty(ruleSets, async (rules) => {
        const documents = [documentOf({ rules: rules.map(([effect, list]) => [effect, list[0] as string]) })];
        const policy = policyOf(documents, { tools });
        const findings = await lintPolicy(policy);
        const expected = new Set<number>();
        for (const call of calls) {
          const [layer] = (await policy.explain(call)).layers;
          const rule = layer?.decision.rule;
          const wide = layer?.considered.some((each) => each.rule.effect === 'deny' && each.outcome === 'not reached');
          if (rule?.effect === 'allow' && wide === true) expected.add(Number(rule.at?.split(':')[1]));
        }
        const reopening = new Set(findings.filter(({ kind }) => kind === 'reopens').map(({ at }) => at.line));
        expect(reopening).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('rules with conditions', () => {
  const conditions: RigWorld['conditions'] = { 'args.n == 1': ({ n }) => n === 1, 'args.n != 1': ({ n }) => n !== 1 };
  const conditional = fc.array(
    fc.tuple(
      fc.constantFrom(...effects),
      fc.constantFrom(...targets),
      fc.record({ when: fc.constantFrom('args.n == 1', 'args.n != 1', undefined) }),
    ),
    { maxLength: 7 },
  );

  it(proves('D07')('are never reported as ineffective if they decide a call'), async () => {
    await fc.assert(
      fc.asyncProperty(conditional, conditional, async (upper, lower) => {
        const documents = [upper, lower].map((rules, index) =>
          documentOf({ file: `${index}.yaml`, rules: rules as RigDocument['rules'] }),
        );
        const policy = policyOf(documents, { tools, conditions });
        const findings = await lintPolicy(policy);
        const dead = found(findings, documents, ['unreachable', 'duplicate']);
        const shaded = found(findings, documents, ['shadowed-by-layer']);
        for (const call of calls.flatMap((each) => [0, 1].map((n) => ({ ...each, args: { n } })))) {
          const { decision, layers } = await policy.explain(call);
          for (const { decision: own } of layers) {
            if (own.rule !== undefined) expect(dead).not.toContain(`${own.rule.at}:10`);
          }
          expect(shaded).not.toContain(`${decision.rule?.at}:10`);
        }
        expect(findings.every(({ kind }) => idle.includes(kind) || kind !== 'load')).toBe(true);
      }),
      { numRuns: runs(150) },
    );
  });
});
