import fc from 'fast-check';
import { allow, ask, compilePolicy, deny, forbid, type Rule } from 'bridle';
import type { Effect } from '../../call.ts';
import type { RuleOptions } from '../rules/rule.ts';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';

const builders = { deny, ask, allow, forbid };
type Kind = keyof typeof builders;
const approver = (): boolean => true;

/** The twelve kinds of rules that can stand for one tool of a server, strictest first, as the contract lists them. */
const places = [
  ['forbid', 'gh/push'],
  ['forbid', 'gh/*'],
  ['forbid', '*'],
  ['deny', 'gh/push'],
  ['ask', 'gh/push'],
  ['allow', 'gh/push'],
  ['deny', 'gh/*'],
  ['ask', 'gh/*'],
  ['allow', 'gh/*'],
  ['deny', '*'],
  ['ask', '*'],
  ['allow', '*'],
] as const satisfies readonly (readonly [Kind, string])[];

/** The bucket the table gives to each of them. */
const buckets = [-1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8];
const push = { server: 'gh', tool: 'push' };

function ruleAt(place: number, options: { when?: () => boolean } = {}): Rule {
  const [kind, target] = places[place] as (typeof places)[number];
  return builders[kind](target, { name: `place ${place}`, ...options });
}

function decideWith(rules: readonly Rule[]) {
  return compilePolicy(rules, { servers: ['gh'], approver }).decide(push);
}

const effectAt = (place: number): Effect => {
  const kind: Kind = (places[place] as (typeof places)[number])[0];
  return kind === 'forbid' ? 'deny' : kind;
};

describe('precedence', () => {
  const pairs = places.flatMap((_, a) => places.flatMap((_, b) => (a < b ? [[a, b] as const] : [])));

  it(proves('P01')('has a bucket for every effect and level'), () => {
    const { rules } = compilePolicy(
      places.map((_, place) => ruleAt(place)),
      { servers: ['gh'], approver },
    );
    expect(rules.map((rule) => rule.bucket)).toEqual(buckets);
  });

  it.each(pairs)(proves('P01')('lets bucket %i win over bucket %i, whichever comes first'), async (strong, weak) => {
    for (const order of [
      [strong, weak],
      [weak, strong],
    ]) {
      const decision = await decideWith(order.map((place) => ruleAt(place)));
      expect(decision).toMatchObject({ effect: effectAt(strong), rule: { name: `place ${strong}` } });
    }
  });

  it.each(pairs)(
    proves('P01', 'P04')('falls from place %i to place %i if its predicate is false'),
    async (strong, weak) => {
      for (const flip of [false, true]) {
        const rules = [ruleAt(strong, { when: () => false }), ruleAt(weak)];
        const decision = await decideWith(flip ? rules.toReversed() : rules);
        expect(decision).toMatchObject({ effect: effectAt(weak), rule: { name: `place ${weak}` } });
      }
    },
  );

  it(proves('P01')('is the same for every order of all twelve kinds'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(
          places.map((_, place) => place),
          { minLength: 1 },
        ),
        async (order) => {
          const strongest = Math.min(...order);
          const decision = await decideWith(order.map((place) => ruleAt(place)));
          expect(decision).toMatchObject({
            effect: effectAt(strongest),
            rule: { name: `place ${strongest}`, bucket: buckets[strongest] },
          });
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it(proves('P01', 'P04')('goes through all twelve in order, one false predicate after the other'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(
          places.map((_, place) => place),
          { minLength: 12 },
        ),
        async (order) => {
          const asked: number[] = [];
          const rules = order.map((place) => {
            const when = (): boolean => {
              asked.push(place);
              return false;
            };
            return ruleAt(place, { when });
          });
          const decision = await decideWith(rules);
          expect(asked).toEqual(places.map((_, place) => place));
          expect(decision).toMatchObject({ effect: 'allow', rule: undefined });
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it(proves('P01')('denies by a forbid for everything what a specific allow would let run'), async () => {
    const policy = compilePolicy([allow('view_file'), forbid('*', { reason: 'not today' }), allow('*')]);
    expect(await policy.decide({ tool: 'view_file' })).toMatchObject({ effect: 'deny', reason: 'not today' });
  });

  it(proves('M02')('has server/tool before server/* before *'), async () => {
    const policy = compilePolicy([allow('*'), deny('gh/*'), allow('gh/push')], { servers: ['gh'] });
    expect(await policy.decide(push)).toMatchObject({ effect: 'allow', rule: { target: 'gh/push' } });
    expect(await policy.decide({ server: 'gh', tool: 'pull' })).toMatchObject({
      effect: 'deny',
      rule: { target: 'gh/*' },
    });
    expect(await policy.decide({ tool: 'push' })).toMatchObject({ effect: 'allow', rule: { target: '*' } });
  });

  it(proves('M02')('never matches an MCP tool by a bare name, nor a local tool by a server'), async () => {
    const strict = { servers: ['gh', 'push'], strict: true };
    const bare = compilePolicy([allow('push')], strict);
    expect(await bare.decide({ tool: 'push' })).toMatchObject({ effect: 'allow' });
    expect(await bare.decide(push)).toMatchObject({ effect: 'deny', rule: undefined });
    const all = compilePolicy([allow('push/*'), allow('gh/push')], strict);
    expect(await all.decide({ tool: 'push' })).toMatchObject({ effect: 'deny', rule: undefined });
    expect(await all.decide({ server: 'push', tool: 'push' })).toMatchObject({ effect: 'allow' });
  });
});

/** Options with a predicate that writes down that it was asked. */
function counted(answer: boolean, log: string[], name: string): RuleOptions {
  const when = (): boolean => {
    log.push(name);
    return answer;
  };
  return { name, when };
}

describe('inside a bucket', () => {
  it.each(['deny', 'ask', 'allow', 'forbid'] as const)(
    proves('P03')('the first %s that applies decides, and the next one is not even asked'),
    async (kind) => {
      for (const target of ['gh/push', 'gh/*', '*']) {
        const log: string[] = [];
        const make = builders[kind];
        const decision = await decideWith([
          make(target, counted(false, log, 'first')),
          make(target, counted(true, log, 'second')),
          make(target, counted(true, log, 'third')),
        ]);
        expect(decision.rule?.name).toBe('second');
        expect(log).toEqual(['first', 'second']);
      }
    },
  );

  it(proves('P03')('a rule without a predicate stops the ones behind it from being asked'), async () => {
    const log: string[] = [];
    const decision = await decideWith([ask('gh/push', { name: 'plain' }), ask('gh/push', counted(true, log, 'later'))]);
    expect(decision).toMatchObject({ effect: 'ask', rule: { name: 'plain' } });
    expect(log).toEqual([]);
  });

  it(
    proves('P04')('a false predicate falls to the next rule, then to the next bucket, then to the default'),
    async () => {
      const log: string[] = [];
      const rules = [
        allow('*', counted(false, log, 'allow *')),
        deny('gh/push', counted(false, log, 'deny 1')),
        allow('gh/push', counted(false, log, 'allow 1')),
        deny('gh/push', counted(false, log, 'deny 2')),
        deny('gh/*', counted(false, log, 'deny gh')),
      ];
      const policy = compilePolicy(rules, { servers: ['gh'], strict: true });
      expect(await policy.decide(push)).toMatchObject({ effect: 'deny', rule: undefined });
      expect(log).toEqual(['deny 1', 'deny 2', 'allow 1', 'deny gh', 'allow *']);
    },
  );
});

describe('the six buckets of the Python SDK', () => {
  interface Six {
    readonly tool: string;
    readonly effect: 'DENY' | 'ASK_USER' | 'APPROVE';
    readonly when: boolean | undefined;
  }

  /** Specific before wildcard, deny before ask before approve, first registered first; open by default. */
  function decideBySix(rules: readonly Six[], tool: string): { effect: Six['effect']; rule: number | undefined } {
    for (const target of [tool, '*']) {
      for (const effect of ['DENY', 'ASK_USER', 'APPROVE'] as const) {
        const rule = rules.findIndex((each) => each.tool === target && each.effect === effect && each.when !== false);
        if (rule >= 0) return { effect, rule };
      }
    }
    return { effect: 'APPROVE', rule: undefined };
  }

  it(proves('P02')('decide as the nine do where no rule is about a server'), async () => {
    const words = { DENY: deny, ASK_USER: ask, APPROVE: allow } as const;
    const meaning = { DENY: 'deny', ASK_USER: 'ask', APPROVE: 'allow' } as const;
    const six = fc.record({
      tool: fc.constantFrom('a', 'b', 'c', '*'),
      effect: fc.constantFrom('DENY', 'ASK_USER', 'APPROVE'),
      when: fc.constantFrom(true, false, undefined),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(six, { maxLength: 12 }), async (rules) => {
        const policy = compilePolicy(
          rules.map(({ tool, effect, when }, index) =>
            words[effect](tool, { name: String(index), when: when === undefined ? undefined : () => when }),
          ),
          { approver },
        );
        for (const tool of ['a', 'b', 'c', 'd']) {
          const expected = decideBySix(rules, tool);
          const decision = await policy.decide({ tool });
          expect([decision.effect, decision.rule?.name]).toEqual([meaning[expected.effect], expected.rule?.toString()]);
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('a call that no rule matches', () => {
  const call = { tool: 'anything' };

  it(proves('P06')('is allowed unless something else is configured'), async () => {
    for (const options of [{}, { default: 'allow' as const }, { strict: false }]) {
      const decision = await compilePolicy([deny('other')], options).decide(call);
      expect(decision).toMatchObject({ effect: 'allow', rule: undefined });
    }
  });

  it(proves('P06')('is denied in a strict policy, with a reason'), async () => {
    for (const options of [
      { strict: true },
      { default: 'deny' as const },
      { strict: true, default: 'deny' as const },
    ]) {
      const decision = await compilePolicy([allow('other')], options).decide(call);
      expect(decision).toMatchObject({ effect: 'deny', rule: undefined });
      expect(decision.reason).toContain('default is deny');
    }
  });

  it(proves('P06')('can be asked about, if there is an approver'), async () => {
    const decision = await compilePolicy([], { default: 'ask', approver }).decide(call);
    expect(decision).toMatchObject({ effect: 'ask', rule: undefined });
    expect(decision.reason).not.toBe('');
    expect(() => compilePolicy([], { default: 'ask' })).toThrow('approver');
  });
});
