/**
 * The engine against a naive evaluator of the contract, on random rule sets and every call of a small world of tools.
 *
 * An everyday run compares 264,000 pairs of a rule set and a call. For millions, with any seed:
 *
 *     BRIDLE_RUNS=50 BRIDLE_SEED=7 npx vitest run src/kernel/policy/evaluator/reference.test.ts
 */

import fc from 'fast-check';
import { allow, ask, BridleError, compilePolicy, deny, forbid, type Decision, type Policy } from 'bridle';
import type { CallRequest } from '../../call.ts';
import type { Explanation } from './policy.ts';
import { type FakeClock, fakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { sample } from '../../../../test/property-runs.ts';
import {
  type Answer,
  decideByReference,
  type ReferenceCall,
  type ReferenceDecision,
  type ReferencePolicy,
  type ReferenceTool,
} from '../../../../test/reference/policy.ts';

const tools: readonly ReferenceTool[] = [
  { server: undefined, name: 'view', aliases: ['read', 'VIEW'] },
  { server: undefined, name: 'push', aliases: [] },
  { server: 'gh', name: 'push', aliases: ['publish'] },
  { server: 'gh', name: 'view', aliases: [] },
  { server: 'db', name: 'push', aliases: ['read'] },
];
const names = tools.flatMap(({ server, name, aliases }) => [name, ...aliases].map((each) => [server, each] as const));
const targets = [
  ...names.map(([server, tool]) => (server === undefined ? tool : `${server}/${tool}`)),
  'gh/*',
  'db/*',
  '*',
];

/** What predicates look at: one number in the args. A predicate has one behaviour for each. */
const moods = [0, 1, 2];
const calls: readonly ReferenceCall[] = [...names, [undefined, 'publish'] as const, ['gh', 'read'] as const].flatMap(
  ([server, tool]) => moods.map((mood) => ({ server, tool, mood })),
);

const never = new Promise<never>(() => undefined);
const oddities = [undefined, null, 0, 1, '', 'true', Number.NaN, {}, [], [true], 1n, Symbol('yes'), Object(true), fc];
const thrown = [new Error('broken'), 'broken', undefined, null, 0, false, true];
const pick = (list: readonly unknown[], at: number): unknown => list[at % list.length];

/** What a predicate does, and what the contract makes of it. */
const behaviours = {
  true: { does: () => true, means: true },
  false: { does: () => false, means: false },
  'async true': { does: () => Promise.resolve(true), means: true },
  'async false': { does: () => Promise.resolve(false), means: false },
  'late true': { does: () => Promise.resolve().then(() => true), means: true },
  throws: {
    does: (rule: number) => {
      // oxlint-disable-next-line typescript/only-throw-error
      throw pick(thrown, rule);
    },
    means: 'failure',
  },
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  rejects: { does: (rule: number) => Promise.reject(pick(thrown, rule)), means: 'failure' },
  odd: { does: (rule: number) => pick(oddities, rule), means: 'failure' },
  'async odd': { does: (rule: number) => Promise.resolve(pick(oddities, rule)), means: 'failure' },
  hangs: { does: () => never, means: 'failure' },
  unknown: {
    does: () => {
      throw new BridleError('FACT_UNKNOWN', 'nobody knows');
    },
    means: 'unknown',
  },
  'async unknown': { does: () => Promise.reject(new BridleError('FACT_UNKNOWN', 'nobody knows')), means: 'unknown' },
} as const satisfies Record<string, { does: (rule: number) => unknown; means: Answer }>;

const behaviour = fc.oneof(
  {
    weight: 150,
    arbitrary: fc.constantFrom('true', 'false', 'false', 'false', 'async true', 'async false', 'async false'),
  },
  { weight: 60, arbitrary: fc.constantFrom('unknown', 'unknown', 'async unknown') },
  { weight: 40, arbitrary: fc.constantFrom('late true', 'throws', 'rejects', 'odd', 'async odd') },
  { weight: 1, arbitrary: fc.constant('hangs') },
) satisfies fc.Arbitrary<keyof typeof behaviours>;

const anyRule = fc.record({
  effect: fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const, 'forbid' as const),
  target: fc.constantFrom(...targets),
  shadow: fc.constantFrom(false, false, false, false, true),
  behaviour: fc.option(fc.tuple(behaviour, behaviour, behaviour), { nil: undefined, freq: 4 }),
  unknown: fc.constantFrom('ask' as const, 'ask' as const, 'deny' as const, undefined),
});
const randomRule = anyRule.map(({ unknown, ...rule }) => {
  const takesUnknown = (rule.effect === 'deny' || rule.effect === 'forbid') && rule.behaviour !== undefined;
  return { ...rule, unknown: takesUnknown ? unknown : undefined };
});
type RandomRule = typeof randomRule extends fc.Arbitrary<infer T> ? T : never;
const world = fc.record({
  rules: fc.array(randomRule, { maxLength: 14 }),
  fallback: fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const),
  answerable: fc.constantFrom(true, true, false),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const timeoutMs = 100;
const builders = { deny, forbid };

/** The rules for the engine; which predicates were asked for which call is written into `asked`. */
function compileRules({ rules, fallback, answerable }: World, clock: FakeClock) {
  const asked = new Map<string, number[]>();
  const when = (id: number, each: NonNullable<RandomRule['behaviour']>) => (args: unknown, call: { id: string }) => {
    let list = asked.get(call.id);
    if (list === undefined) asked.set(call.id, (list = []));
    list.push(id);
    return behaviours[each[(args as { mood: 0 | 1 | 2 }).mood]].does(id) as boolean;
  };
  const policy = compilePolicy(
    rules.map(({ effect, target, shadow, unknown, behaviour: each }, id) => {
      const options = { name: String(id), shadow, when: each === undefined ? undefined : when(id, each) };
      if (effect === 'deny' || effect === 'forbid') return builders[effect](target, { ...options, unknown });
      return effect === 'ask' ? ask(target, { ...options, handler: () => true }) : allow(target, options);
    }),
    {
      tools: tools.map(({ server, name, aliases }) => ({ server, name, aliases: { names: aliases } })),
      servers: ['gh', 'db'],
      approver: answerable ? () => true : undefined,
      default: fallback,
      timeoutMs,
      clock,
    },
  );
  return { policy, asked };
}

function predicate(each: RandomRule['behaviour']): ReferencePolicy['rules'][number]['predicate'] {
  return each === undefined ? undefined : ({ mood }) => behaviours[each[mood as 0 | 1 | 2]].means;
}

function toReference({ rules, fallback, answerable }: World): ReferencePolicy {
  return {
    rules: rules.map(({ behaviour: each, ...rule }, id) => ({ ...rule, id, predicate: predicate(each) })),
    tools,
    fallback,
    answerable,
  };
}

/** One line, so that many decisions can be compared fast. */
function lineOf(decision: Pick<ReferenceDecision, 'effect' | 'rule' | 'further'>, asked: readonly number[]): string {
  const further = decision.further.map((rule) => rule ?? 'default').join(' ');
  return `${decision.effect} by ${decision.rule ?? 'default'} and [${further}], asked [${asked.join(' ')}]`;
}

function numberOf(rule: Decision['rule']): number | undefined {
  return rule === undefined ? undefined : Number(rule.name);
}

function lineOfDecision({ effect, rule, additionalQuestions = [] }: Decision, asked: readonly number[]): string {
  return lineOf(
    { effect, rule: numberOf(rule), further: additionalQuestions.map((each) => numberOf(each.rule)) },
    asked,
  );
}

function requestOf({ server, tool, mood }: ReferenceCall, id: string): CallRequest {
  return { id, server, tool, args: { mood } };
}

/** Moves the clock until everything is decided, if something waits for it. */
async function settle<T>(waiting: readonly (T | Promise<T>)[], clock: FakeClock, hangs: boolean): Promise<T[]> {
  const all = Promise.all(waiting);
  if (hangs) await clock.advance(6 * timeoutMs);
  return all;
}

function linesOfExplanation({ decision, considered, shadows }: Explanation): unknown {
  const numbers = (outcome: string): number[] =>
    considered.filter((each) => each.outcome === outcome).map(({ rule }) => Number(rule.name));
  return {
    effect: decision.effect,
    rule: decision.rule === undefined ? undefined : Number(decision.rule.name),
    notReached: numbers('not reached'),
    last: considered.findLast((each) => each.outcome !== 'not reached')?.outcome,
    shadows: shadows
      .map(
        ({ rule, matched, problem }) =>
          [
            Number(rule.name),
            problem === undefined ? matched : problem === 'nobody knows' ? 'unknown' : 'failure',
          ] as const,
      )
      .toSorted(([a], [b]) => a - b),
  };
}

function linesOfReference(expected: ReferenceDecision, policy: ReferencePolicy, call: ReferenceCall): unknown {
  const { effect, rule, notReached, shadows } = expected;
  const lastRule = expected.last === undefined ? undefined : policy.rules[expected.last];
  return { effect, rule, notReached, last: lastRule && outcomeOf(lastRule, call), shadows };
}

function outcomeOf({ effect, unknown, predicate }: ReferencePolicy['rules'][number], call: ReferenceCall): string {
  const answer = predicate?.(call) ?? true;
  if (answer === 'failure') return 'could not be evaluated';
  if (answer === false) return 'did not apply';
  const goesOn = effect === 'ask' || effect === 'allow' || unknown === 'ask';
  return answer === 'unknown' && goesOn ? 'is unknown' : 'decided';
}

async function compareAll(all: World): Promise<number> {
  const { rules } = all;
  const clock = fakeClock();
  const { policy, asked } = compileRules(all, clock);
  const reference = toReference(all);
  const hangs = rules.some((rule) => rule.behaviour?.includes('hangs'));
  const decisions = await settle(
    calls.map((call, id) => policy.decide(requestOf(call, `d${id}`))),
    clock,
    hangs,
  );
  for (const [id, call] of calls.entries()) {
    const expected = decideByReference(reference, call);
    const got = lineOfDecision(decisions[id] as Decision, asked.get(`d${id}`) ?? []);
    if (got !== lineOf(expected, expected.evaluated)) {
      expect.fail(`${JSON.stringify(call)}: ${got}; the contract says ${lineOf(expected, expected.evaluated)}`);
    }
  }
  await compareExplained(policy, reference, { clock, hangs });
  return calls.length;
}

/** Explains one call in seven, another one for each number of rules. */
async function compareExplained(
  policy: Policy,
  reference: ReferencePolicy,
  { clock, hangs }: { clock: FakeClock; hangs: boolean },
): Promise<void> {
  const some = calls.filter((_, index) => index % 7 === reference.rules.length % 7);
  const explained = await settle(
    some.map((call, id) => policy.explain(requestOf(call, `e${id}`))),
    clock,
    hangs,
  );
  for (const [id, call] of some.entries()) {
    const expected = linesOfReference(decideByReference(reference, call), reference, call);
    const got = linesOfExplanation(explained[id] as Explanation);
    if (JSON.stringify(got) !== JSON.stringify(expected)) expect(got, JSON.stringify(call)).toEqual(expected);
  }
}

describe('the engine and the reference evaluator', () => {
  let pairs = 0;

  it(
    proves(
      'P17',
      'P19',
      'X01',
      'P01',
      'P03',
      'P04',
      'P05',
      'P12',
      'P13',
      'P15',
      'M02',
    )('agree on every call of random rule sets'),
    { timeout: sample(120_000) },
    async () => {
      await fc.assert(
        fc.asyncProperty(world, async (each) => {
          // A default that asks needs somebody to ask.
          pairs += await compareAll({ ...each, answerable: each.answerable || each.fallback === 'ask' });
        }),
        { numRuns: sample(2000) },
      );
      console.info(`${pairs} pairs of a rule set and a call compared`);
      expect(pairs).toBeGreaterThanOrEqual(sample(50_000));
    },
  );
});
