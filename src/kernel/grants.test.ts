import fc from 'fast-check';
import { allow, allowAll, ask, createGuard, deny, preToolCall, type GuardOptions, type Rules, transform } from 'bridle';
import type { Grant } from './call.ts';
import { fakeClock, memoryJournal } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';
import { narrowGrant } from './call.ts';

const anyGrant: fc.Arbitrary<Grant> = fc.record(
  { timeoutMs: fc.integer({ min: 1 }), outputBytes: fc.integer({ min: 1 }), approvalMs: fc.integer({ min: 1 }) },
  { requiredKeys: [] },
);
const fields = ['timeoutMs', 'outputBytes', 'approvalMs'] as const;

const approver = (): boolean => true;

function narrow(list: readonly Grant[]): Grant {
  return list.reduce((all, each) => narrowGrant(all, each), {});
}

describe('several grants', () => {
  it(proves('P18')('give the narrowest of each field, in any order'), () => {
    fc.assert(
      fc.property(fc.array(anyGrant, { minLength: 1, maxLength: 5 }), (grants) => {
        for (const field of fields) {
          const given = grants.map((grant) => grant[field]).filter((value) => value !== undefined);
          expect(narrow(grants)[field]).toBe(given.length === 0 ? undefined : Math.min(...given));
          expect(narrow(grants.toReversed())[field]).toBe(narrow(grants)[field]);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it(proves('P18')('never change their inputs, and return a frozen grant'), () => {
    const [one, other] = [{ timeoutMs: 5 }, { timeoutMs: 3 }];
    for (const grant of [narrowGrant(one, other), narrowGrant(one, undefined), narrowGrant(one, {})]) {
      expect(Object.isFrozen(grant)).toBe(true);
    }
    expect([one, other]).toEqual([{ timeoutMs: 5 }, { timeoutMs: 3 }]);
    expect(Object.isFrozen(one)).toBe(false);
  });
});

describe('a grant', () => {
  const tool = { name: 'push', grant: { timeoutMs: 3000, outputBytes: 5000 } };

  /** Runs one call and gives the grants that the hook, the tool and the journal saw. */
  async function grantsOf(policy: Rules, options: Partial<GuardOptions> = {}) {
    const seen: Record<string, Grant | undefined> = {};
    const journal = memoryJournal();
    const look = preToolCall(function look({ grant }) {
      seen['hook'] = grant;
      return undefined;
    });
    const guard = createGuard({ tools: [tool], policy, hooks: [look], approver, journal, ...options });
    const session = await guard.start();
    const host = {
      run: (_call: unknown, { grant }: { grant: Grant }): string => {
        seen['tool'] = grant;
        return 'ran';
      },
    };
    const result = await session.turn().guard({ tool: 'push' }, host);
    await session.end();
    const decided = journal.entries().findLast(({ kind }) => kind === 'decided') as { grant?: Grant };
    return { ...seen, journal: decided.grant, result };
  }

  it(proves('P18')('of a rule is seen by hooks, given to the tool and recorded'), async () => {
    const rule = allow('push', { grant: { timeoutMs: 1000, outputBytes: 9000, approvalMs: 70 } });
    const { hook, tool: ran, journal } = (await grantsOf(rule)) as Record<string, Grant>;
    const narrowest = { timeoutMs: 1000, outputBytes: 5000, approvalMs: 70 };
    expect([hook, ran, journal]).toEqual([narrowest, narrowest, narrowest]);
  });

  it(proves('P18')('of a rule never widens that of the tool or the guard'), async () => {
    const wide = allowAll({ grant: { timeoutMs: 1_000_000, outputBytes: 1_000_000 } });
    const seen = await grantsOf(wide, { grant: { outputBytes: 10 } });
    expect(seen.journal).toMatchObject({ timeoutMs: 3000, outputBytes: 10 });
  });

  it(proves('P18')('of a rule that did not decide counts nothing'), async () => {
    const rules = [
      allow('push', { grant: { timeoutMs: 1 }, when: () => false }),
      allowAll({ grant: { timeoutMs: 2000 } }),
    ];
    expect((await grantsOf(rules)).journal).toMatchObject({ timeoutMs: 2000 });
  });

  it(proves('P18')('adds up over all decisions about a call'), async () => {
    const rewrite = preToolCall(function rewrite() {
      return transform({ force: true });
    });
    const rules = [
      allow('push', { grant: { timeoutMs: 100 }, when: (args) => args['force'] !== true }),
      allow('push', { grant: { outputBytes: 50 }, when: (args) => args['force'] === true }),
    ];
    expect((await grantsOf(rules, { hooks: [rewrite] })).journal).toMatchObject({ timeoutMs: 100, outputBytes: 50 });
  });

  it(proves('P18')('cannot be widened by a hook'), async () => {
    const widen = preToolCall(function widen({ grant }) {
      (grant as { timeoutMs: number }).timeoutMs = 1_000_000;
      return undefined;
    });
    for (const rule of [allowAll(), allowAll({ grant: { timeoutMs: 10 } })]) {
      const { result } = await grantsOf(rule, { tools: [{ name: 'push' }], hooks: [widen] });
      expect(result).toMatchObject({ type: 'denied', hook: 'widen' });
    }
  });

  it(proves('P18')('of an ask limits how long an approval counts'), async () => {
    const seen = await grantsOf(ask('push', { grant: { approvalMs: 5 } }));
    expect(seen.journal).toMatchObject({ approvalMs: 5 });
  });

  it(
    proves('P18')('is honoured: a tool that takes longer has timed out, and what it gives too much is cut'),
    async () => {
      const clock = fakeClock();
      const guard = createGuard({
        tools: [{ name: 'push' }, { name: 'dump' }],
        policy: [
          allow('push', { grant: { timeoutMs: 1000 } }),
          allow('dump', { grant: { outputBytes: 100 } }),
          deny('*'),
        ],
        clock,
      });
      const turn = (await guard.start()).turn();
      const hanging = turn.guard({ tool: 'push' }, { run: () => new Promise(() => undefined) });
      await clock.advance(2000);
      expect(await hanging).toMatchObject({ type: 'timeout' });
      const dumped = await turn.guard({ tool: 'dump' }, { run: () => 'x'.repeat(100_000) });
      expect(dumped.text.length).toBeLessThan(1000);
    },
  );
});
