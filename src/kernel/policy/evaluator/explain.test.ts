import {
  allow,
  allowAll,
  ask,
  compilePolicy,
  createGuard,
  deny,
  denyAll,
  forbid,
  onEvent,
  type BridleEvent,
} from 'bridle';
import type { Explanation } from './policy.ts';
import type { RuleCondition } from '../rules/rule.ts';
import { fakeClock, memoryJournal } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';

const approver = (): boolean => true;
const call = { server: 'gh', tool: 'push', args: { branch: 'main' } };
const never = new Promise<never>(() => undefined);
const servers = ['gh', 'db'];

const outcomes = ({ considered }: Explanation) => considered.map(({ rule, outcome }) => `${rule.name}: ${outcome}`);

function broken(): boolean {
  throw new TypeError('broken');
}

describe('explain', () => {
  it(proves('P12')('lists every rule for the call, in order, with what became of it'), async () => {
    const policy = compilePolicy(
      [
        allow('*', { name: 'late' }),
        deny('gh/push', { name: 'first', when: () => false }),
        deny('gh/pull', { name: 'other tool' }),
        deny('db/*', { name: 'other server' }),
        deny('push', { name: 'local' }),
        ask('gh/*', { name: 'second', when: async () => true, reason: 'Sure?' }),
        forbid('*', { name: 'above', when: () => false }),
        allow('gh/push', { name: 'never', when: () => false }),
        deny('*', { name: 'later' }),
      ],
      { servers, approver },
    );
    const explanation = await policy.explain(call);
    expect(outcomes(explanation)).toEqual([
      'above: did not apply',
      'first: did not apply',
      'never: did not apply',
      'second: decided',
      'later: not reached',
      'late: not reached',
    ]);
    expect(explanation.decision).toMatchObject({
      effect: 'ask',
      reason: 'Sure?',
      rule: { name: 'second', effect: 'ask', target: 'gh/*', bucket: 4 },
    });
    expect(explanation.shadows).toEqual([]);
  });

  it(proves('P12', 'P05')('explains why a rule could not be evaluated'), async () => {
    const policy = compilePolicy([allow('*', { name: 'bad', when: broken }), deny('gh/pull', { name: 'x' })], {
      servers,
    });
    const { considered, decision } = await policy.explain(call);
    expect(considered).toEqual([
      {
        rule: expect.objectContaining({ name: 'bad' }),
        outcome: 'could not be evaluated',
        detail: expect.stringContaining('broken'),
      },
    ]);
    expect(decision).toMatchObject({ effect: 'deny', rule: { name: 'bad' } });
  });

  it(proves('P12')('shows that the default decided if no rule did'), async () => {
    const policy = compilePolicy([deny('gh/push', { name: 'no', when: () => false })], { servers, strict: true });
    const explanation = await policy.explain(call);
    expect(outcomes(explanation)).toEqual(['no: did not apply']);
    expect(explanation.decision).toEqual(await policy.decide(call));
    expect(explanation.decision.rule).toBeUndefined();
  });

  it(proves('P12', 'G11')('explains a call that cannot be read'), async () => {
    const policy = compilePolicy([allowAll()], { tools: [{ name: 'push' }] });
    const explanation = await policy.explain({ tool: 'pull' });
    expect(explanation).toMatchObject({ decision: { effect: 'deny' }, considered: [], shadows: [] });
    expect(explanation.decision.reason).toContain('Unknown tool "pull"');
  });

  it(proves('P12', 'P13')('gives the answers of shadow rules'), async () => {
    const clock = fakeClock();
    const policy = compilePolicy(
      [
        deny('gh/push', { name: 'would', shadow: true }),
        forbid('*', { name: 'would forbid', shadow: true, when: () => true }),
        deny('gh/*', { name: 'would not', shadow: true, when: async () => false }),
        deny('gh/push', { name: 'breaks', shadow: true, when: broken }),
        deny('*', { name: 'hangs', shadow: true, when: () => never }),
        deny('gh/pull', { name: 'other', shadow: true }),
        allowAll(),
      ],
      { servers, clock, timeoutMs: 100 },
    );
    const explaining = policy.explain(call);
    await clock.advance(1000);
    const { decision, considered, shadows } = await explaining;
    expect(decision).toMatchObject({ effect: 'allow', rule: { name: 'allow_all' } });
    expect(considered.map(({ rule }) => rule.name)).toEqual(['allow_all']);
    const answers = Object.fromEntries(shadows.map(({ rule, ...answer }) => [rule.name, answer]));
    expect(answers).toEqual({
      would: { matched: true, would: 'deny', problem: undefined },
      'would forbid': { matched: true, would: 'deny', problem: undefined },
      'would not': { matched: false, would: undefined, problem: undefined },
      breaks: { matched: false, would: 'deny', problem: expect.stringContaining('broken') },
      hangs: { matched: false, would: 'deny', problem: expect.stringContaining('100 ms') },
    });
  });

  it(proves('P12')('decides as decide does'), async () => {
    const whens: readonly (RuleCondition | undefined)[] = [
      undefined,
      () => true,
      () => false,
      async () => true,
      broken,
    ];
    for (const when of whens) {
      for (const make of [allow, deny, ask, forbid]) {
        for (const target of ['gh/push', 'gh/*', '*', 'push']) {
          const policy = compilePolicy([make(target, { when, reason: ({ tool }) => `about ${tool}` }), denyAll()], {
            servers,
            approver,
          });
          expect((await policy.explain(call)).decision).toEqual(await policy.decide(call));
        }
      }
    }
  });
});

describe('a shadow rule', () => {
  const host = { run: () => 'ran' };

  /** Runs a call through a guard and gives what it decided and what was reported. */
  async function runWith(when: RuleCondition | undefined, journal = memoryJournal()) {
    const clock = fakeClock();
    const events: BridleEvent[] = [];
    const guard = createGuard({
      tools: [{ name: 'push' }],
      policy: [
        forbid('*', { name: 'shadow forbid', shadow: true, when }),
        deny('push', { name: 'shadow deny', shadow: true, when }),
        allow('push', { name: 'real', grant: { timeoutMs: 777 } }),
      ],
      hooks: [
        onEvent(function see(event) {
          events.push(event);
        }),
      ],
      timeoutMs: 100,
      journal,
      clock,
    });
    const session = await guard.start();
    const result = await session.turn().guard({ tool: 'push' }, host);
    const ending = session.end();
    await clock.advance(10_000);
    await ending;
    return { result, events: events.filter((event) => event.type === 'rule_shadowed') };
  }

  it.each([
    ['matches', () => true, { matched: true, problem: undefined }],
    ['has no predicate', undefined, { matched: true, problem: undefined }],
    ['does not match', () => false, { matched: false, problem: undefined }],
    ['throws', broken, { matched: false, problem: expect.stringContaining('broken') }],
    ['rejects', async () => broken(), { matched: false, problem: expect.stringContaining('broken') }],
    [
      'answers no boolean',
      (() => 1) as unknown as RuleCondition,
      { matched: false, problem: expect.stringContaining('number') },
    ],
    ['hangs', () => never, { matched: false, problem: expect.stringContaining('100 ms') }],
  ])(proves('P13')('that %s is reported and changes nothing'), async (_title, when, answer) => {
    const { result, events } = await runWith(when);
    expect(result).toMatchObject({ type: 'ok', rule: { name: 'real' } });
    expect(events).toEqual([
      expect.objectContaining({ rule: expect.objectContaining({ name: 'shadow deny' }), ...answer }),
      expect.objectContaining({ rule: expect.objectContaining({ name: 'shadow forbid' }), ...answer }),
    ]);
  });

  it(proves('P13')('is written into the journal'), async () => {
    const journal = memoryJournal();
    await runWith(() => true, journal);
    const noted = journal.entries().filter(({ kind }) => kind === 'noted');
    expect(noted).toEqual([
      expect.objectContaining({ status: 'rule_shadowed', detail: expect.objectContaining({ matched: true }) }),
      expect.objectContaining({ status: 'rule_shadowed', detail: expect.objectContaining({ matched: true }) }),
    ]);
  });

  it(proves('P13')('is asked only after the call was decided'), async () => {
    const order: string[] = [];
    const note = (name: string, answer: boolean) => () => {
      order.push(name);
      return answer;
    };
    const policy = compilePolicy([
      deny('push', { shadow: true, when: note('shadow', true) }),
      allow('push', { when: note('real', true) }),
    ]);
    expect(await policy.decide({ tool: 'push' })).toMatchObject({ effect: 'allow' });
    expect(order).toEqual(['real']);
    await policy.explain({ tool: 'push' });
    expect(order).toEqual(['real', 'real', 'shadow']);
  });

  it(proves('P13')('does not stop rules behind it from deciding'), async () => {
    const policy = compilePolicy([allow('push', { shadow: true }), deny('push')]);
    expect(await policy.decide({ tool: 'push' })).toMatchObject({ effect: 'deny' });
    const closed = compilePolicy([allow('push', { shadow: true })], { strict: true });
    expect(await closed.decide({ tool: 'push' })).toMatchObject({ effect: 'deny', rule: undefined });
  });
});

describe('rules for other targets', () => {
  it.each([10, 100_000])(proves('P16')('are not looked at, with %i rules'), async (count) => {
    let asked = 0;
    const when = (): boolean => {
      asked++;
      return true;
    };
    const others = Array.from({ length: count }, (_, i) => {
      switch (i % 4) {
        case 0:
          return deny(`tool_${i}`, { when });
        case 1:
          return forbid({ server: `s${i % 100}`, tool: `tool_${i}` }, { when });
        case 2:
          return deny({ server: `s${i % 100}` }, { when });
        default:
          return deny(`tool_${i}`, { when, shadow: true });
      }
    });
    const names = Array.from({ length: 100 }, (_, i) => `s${i}`);
    const own = [
      forbid('gh/push', { name: 'own forbid', when: () => false }),
      allow('gh/push', { name: 'own tool', when: () => false }),
      allow('gh/*', { name: 'own server', when: () => false }),
      deny('*', { name: 'everything' }),
    ];
    const policy = compilePolicy([others, own], { servers: [...names, 'gh'] });
    const { considered, decision, shadows } = await policy.explain(call);
    expect(considered.map(({ rule }) => rule.name)).toEqual(['own forbid', 'own tool', 'own server', 'everything']);
    expect(decision).toMatchObject({ effect: 'deny', rule: { name: 'everything' } });
    expect(shadows).toEqual([]);
    expect(await policy.decide({ tool: 'push' })).toMatchObject({ effect: 'deny', rule: { name: 'everything' } });
    expect((await policy.explain({ tool: 'push' })).considered).toHaveLength(1);
    expect(asked).toBe(0);
    expect(await policy.decide({ tool: 'tool_0' })).toMatchObject({ effect: 'deny', rule: { target: 'tool_0' } });
    expect(asked).toBe(1);
  });
});
