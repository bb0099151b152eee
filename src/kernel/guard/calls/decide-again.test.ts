/** The strictest of everything that was said about a call counts, whoever changed it on its way. */

import {
  allow,
  allowAll,
  arg,
  ask,
  confirm,
  createGuard,
  deny,
  forbid,
  preToolCall,
  reject,
  replace,
  transform,
  type ApprovalAnswer,
  type Hook,
  type Rule,
} from 'bridle';
import type { Effect } from '../../call.ts';
import { scriptedApprover, scriptedHost } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { entriesOf, eventsOf, only, rig, story } from '../../../../test/rigs/guard-rig.ts';

const is = (value: string) => arg('file', (file) => file === value);
const rewriteTo = (file: string, how = transform) => preToolCall(() => how({ file }), { name: `to ${file}` });

describe('args that a hook rewrites', () => {
  const denials: readonly (readonly [string, Rule])[] = [
    ['a deny', deny('act', { when: is('secret'), reason: 'no secrets' })],
    ['a forbid', forbid('act', { when: is('secret'), reason: 'no secrets' })],
    ['a wildcard deny', deny('*', { when: is('secret'), reason: 'no secrets' })],
  ];

  for (const [name, rule] of denials) {
    for (const how of [transform, replace]) {
      it(proves('G02')(`into a form that ${name} refuses are refused, by ${how({}).type}`), async () => {
        const { call, host, journal } = await rig({ policy: [rule], hooks: [rewriteTo('secret', how as never)] });
        const result = await call('act', { file: 'open' });
        expect(result).toMatchObject({
          type: 'denied',
          status: 'denied',
          reason: 'no secrets',
          rule: { name: expect.any(String) },
        });
        expect(host.calls).toEqual([]);
        expect(only(entriesOf({ journal }, 'decided'))).toMatchObject({
          status: 'denied',
          requested: { file: 'open' },
          args: { file: 'secret' },
        });
      });
    }
  }

  it(
    proves('G02')('out of a refused form do not help: the first pass has refused them, and no hook is called'),
    async () => {
      let called = 0;
      const { call, host } = await rig({
        policy: deny('act', { when: is('secret') }),
        hooks: [preToolCall(() => (called++, transform({ file: 'open' })), { name: 'launder' })],
      });
      expect((await call('act', { file: 'secret' })).type).toBe('denied');
      expect([called, host.calls.length]).toEqual([0, 0]);
    },
  );

  it(proves('G02')('out of a form that asks are still asked about'), async () => {
    const { approver, requests: asked } = scriptedApprover([true]);
    const { call, host } = await rig({
      policy: [ask('act', { when: is('careful'), name: 'careful' }), allow('act')],
      hooks: [rewriteTo('open')],
      approver,
    });
    expect(await call('act', { file: 'careful' })).toMatchObject({ type: 'ok' });
    expect(only(asked).questions.map(({ rule }) => rule?.name)).toEqual(['careful']);
    expect(only(asked).call).toMatchObject({ args: { file: 'open' }, requested: { file: 'careful' } });
    expect(only(host.calls).args).toEqual({ file: 'open' });
  });

  it(proves('G02')('into a form that asks are asked about, with the args that would run'), async () => {
    const { approver, requests: asked } = scriptedApprover([false]);
    const { call, host } = await rig({
      policy: ask('act', { when: is('careful'), reason: ({ args }) => `Really ${args['file'] as string}?` }),
      hooks: [rewriteTo('careful')],
      approver,
    });
    expect(await call('act', { file: 'open' })).toMatchObject({ type: 'denied', status: 'refused' });
    expect(only(asked)).toMatchObject({
      questions: [{ text: 'Really careful?' }],
      call: { args: { file: 'careful' } },
    });
    expect(host.calls).toEqual([]);
  });

  it(proves('G02', 'Q04')('are asked about in words that fit them, not in those of the first pass'), async () => {
    const { approver, requests: asked } = scriptedApprover([true]);
    const { call } = await rig({
      policy: ask('act', { reason: ({ args }) => `Delete ${args['file'] as string}?` }),
      hooks: [rewriteTo('everything')],
      approver,
    });
    await call('act', { file: 'a.tmp' });
    expect(only(asked).questions.map(({ text }) => text)).toEqual(['Delete everything?']);
  });

  it(proves('G02', 'G16')('are validated again, and take what the schema makes of them'), async () => {
    const schema = z.object({ file: z.string().min(2), mode: z.enum(['r', 'w']).default('r') });
    const tools = [{ name: 'act', schema }];
    const good = await rig({ tools, policy: allowAll(), hooks: [rewriteTo('other')] });
    expect(await good.call('act', { file: 'open', mode: 'w' })).toMatchObject({ type: 'ok' });
    expect(only(good.host.calls)).toMatchObject({
      args: { file: 'other', mode: 'r' },
      requested: { file: 'open', mode: 'w' },
    });
    const bad = await rig({ tools, policy: allowAll(), hooks: [rewriteTo('x')] });
    expect(await bad.call('act', { file: 'open' })).toMatchObject({
      type: 'denied',
      reason: expect.stringContaining('file'),
    });
    expect(bad.host.calls).toEqual([]);
  });

  it(proves('G02', 'G12')('may not outgrow the limit on args'), async () => {
    const { call, host } = await rig({
      policy: allowAll(),
      limits: { argsBytes: 100 },
      hooks: [rewriteTo('x'.repeat(200))],
    });
    expect(await call('act', { file: 'a' })).toMatchObject({
      type: 'denied',
      reason: expect.stringContaining('larger than 100 bytes'),
    });
    expect(host.calls).toEqual([]);
  });

  it(proves('G03')('are kept next to the requested ones: in hooks, approval, journal, tool and result'), async () => {
    const { approver, requests: asked } = scriptedApprover([true]);
    const seen: unknown[] = [];
    const { call, host, journal } = await rig({
      policy: ask('act'),
      hooks: [
        rewriteTo('two'),
        preToolCall(({ call: { args, requested } }) => void seen.push({ args, requested }), { name: 'later' }),
      ],
      approver,
    });
    const both = { args: { file: 'two' }, requested: { file: 'one' } };
    expect(await call('act', { file: 'one' })).toMatchObject({ type: 'ok', call: both });
    expect([only(asked).call, only(host.calls), seen[0]]).toMatchObject([both, both, both]);
    expect(entriesOf({ journal }, 'decided')).toMatchObject([both, both]);
  });

  it(proves('G02')('under aliases are put under their own names before policy sees them'), async () => {
    const { call, host } = await rig({
      tools: [{ name: 'act', args: ['file'], aliases: { args: { path: 'file' } } }],
      policy: deny('act', { when: is('secret') }),
      hooks: [preToolCall(() => replace({ path: 'secret' }), { name: 'alias' })],
    });
    expect((await call('act', { file: 'open' })).type).toBe('denied');
    expect(host.calls).toEqual([]);
  });
});

const editTo = (args: unknown): ApprovalAnswer => ({ type: 'approve', by: 'ann', args: args as never });

describe('args that a person edits', () => {
  it(proves('G02', 'Q02')('are the ones that run, and the record shows that they were edited'), async () => {
    const { approver, requests: asked, assertDone: done } = scriptedApprover([editTo({ file: 'two' })]);
    const { call, host, journal } = await rig({ policy: ask('act'), approver });
    expect(await call('act', { file: 'one' })).toMatchObject({ type: 'ok', call: { args: { file: 'two' } } });
    done();
    expect(asked).toHaveLength(1);
    expect(only(host.calls)).toMatchObject({ args: { file: 'two' }, requested: { file: 'one' } });
    expect(entriesOf({ journal }, 'decided').at(-1)).toMatchObject({
      status: 'approved',
      args: { file: 'two' },
      requested: { file: 'one' },
      approval: { by: 'ann', edited: true },
    });
  });

  it(proves('G02')('into a refused form are refused by that rule'), async () => {
    const { approver } = scriptedApprover([editTo({ file: 'secret' })]);
    const { call, host, journal } = await rig({
      policy: [ask('act'), forbid('act', { when: is('secret'), name: 'no_secrets' })],
      approver,
    });
    expect(await call('act', { file: 'one' })).toMatchObject({ type: 'denied', rule: { name: 'no_secrets' } });
    expect(host.calls).toEqual([]);
    expect(story({ journal })).toEqual(['decided asked', 'decided approved', 'decided denied']);
    expect(entriesOf({ journal }, 'decided')[2]?.args).toEqual({ file: 'secret' });
  });

  it(
    proves('G02', 'G05')('into a form that another rule asks about are asked about again, by its own handler'),
    async () => {
      const handler = scriptedApprover([true]);
      const general = scriptedApprover([editTo({ file: 'careful' })]);
      const { call, host, journal } = await rig({
        policy: [
          ask('act', { when: is('careful'), name: 'careful', handler: handler.approver }),
          ask('act', { name: 'usual' }),
        ],
        approver: general.approver,
      });
      expect((await call('act', { file: 'one' })).type).toBe('ok');
      handler.assertDone();
      general.assertDone();
      expect(only(handler.requests)).toMatchObject({
        call: { args: { file: 'careful' } },
        questions: [{ rule: { name: 'careful' } }],
      });
      expect(only(host.calls).args).toEqual({ file: 'careful' });
      expect(story({ journal })).toEqual([
        'decided asked',
        'decided approved',
        'decided asked',
        'decided approved',
        'settled ok',
      ]);
    },
  );

  it(proves('G02')('make everyone who approved the args before them be asked again'), async () => {
    const seen: unknown[] = [];
    const { call, host } = await rig({
      policy: ask('act', { handler: ({ call: { args } }) => (seen.push(['handler', args]), true) }),
      hooks: [preToolCall(() => confirm('And you?'), { name: 'second' })],
      approver: ({ call: { args } }) => {
        seen.push(['approver', args]);
        return args['file'] === 'one' ? { type: 'approve', args: { file: 'two' } } : true;
      },
    });
    expect((await call('act', { file: 'one' })).type).toBe('ok');
    expect(seen).toEqual([
      ['handler', { file: 'one' }],
      ['approver', { file: 'one' }],
      ['handler', { file: 'two' }],
    ]);
    expect(only(host.calls).args).toEqual({ file: 'two' });
  });

  const noJson: readonly (readonly [string, unknown])[] = [
    ['a text', 'rm'],
    ['a list', ['rm']],
    ['null', null],
    ['a function', () => ({})],
    ['a date', { at: new Date(0) }],
    ['a bigint', { n: 1n }],
    ['what does not fit the schema', { file: 7 }],
    ['too much', { file: 'x'.repeat(2 ** 21) }],
    ['a getter that throws', Object.defineProperty({}, 'file', { enumerable: true, get: () => expect.fail('read') })],
  ];
  for (const [name, args] of noJson) {
    it(proves('G02', 'P10')(`into ${name} are refused`), async () => {
      const { approver } = scriptedApprover([editTo(args)]);
      const { call, host } = await rig({
        tools: [{ name: 'act', schema: z.object({ file: z.string() }) }],
        policy: ask('act'),
        approver,
      });
      const result = await call('act', { file: 'one' });
      expect(result).toMatchObject({ type: 'denied', isError: true });
      expect(result.text).not.toBe('');
      expect(host.calls).toEqual([]);
    });
  }

  it(
    proves('G02', 'G16', 'Q01')('are taken through the schema, and what it makes of them is shown before it runs'),
    async () => {
      const schema = z.object({ file: z.string().trim(), mode: z.string().default('r') });
      const tools = [{ name: 'act', schema }];
      for (const second of [true, editTo({ file: ' two ' })]) {
        const { approver, requests: asked } = scriptedApprover([editTo({ file: ' two ' }), second]);
        const { call, host } = await rig({ tools, policy: ask('act'), approver });
        expect((await call('act', { file: 'one' })).type).toBe('ok');
        expect(asked.map(({ call: { args } }) => args)).toEqual([
          { file: 'one', mode: 'r' },
          { file: 'two', mode: 'r' },
        ]);
        expect(only(host.calls).args).toEqual({ file: 'two', mode: 'r' });
      }
      const { approver } = scriptedApprover([editTo({ file: 'two' }), false]);
      const { call, host } = await rig({ tools, policy: ask('act'), approver });
      expect((await call('act', { file: 'one' })).type).toBe('denied');
      expect(host.calls).toEqual([]);
    },
  );

  it(proves('G02', 'P10')('back and forth without end come to an end, and deny'), async () => {
    let round = 0;
    const { call, host } = await rig({
      policy: [
        ask('act', { when: is('one'), handler: () => (round++, { type: 'approve', args: { file: 'two' } }) }),
        ask('act', { when: is('two'), handler: () => (round++, { type: 'approve', args: { file: 'one' } }) }),
      ],
    });
    expect(await call('act', { file: 'one' })).toMatchObject({
      type: 'denied',
      reason: expect.stringMatching(/rounds/),
    });
    expect(round).toBeLessThanOrEqual(8);
    expect(host.calls).toEqual([]);
  });
});

describe('the strictest of all passes', () => {
  it(proves('G02', 'G03')('counts when a predicate changes its mind: allowed first, refused at the end'), async () => {
    let pass = 0;
    const { call, host } = await rig({
      policy: deny('act', { when: () => ++pass > 1, name: 'second_thoughts' }),
      hooks: [preToolCall(() => undefined, { name: 'time passes' })],
    });
    expect(await call('act')).toMatchObject({ type: 'denied', rule: { name: 'second_thoughts' } });
    expect([pass, host.calls.length]).toEqual([2, 0]);
  });

  it(proves('G02', 'G03')('counts after an approval: a deny that appears meanwhile denies'), async () => {
    let closed = false;
    const { call, host, journal } = await rig({
      policy: [ask('act'), forbid('act', { when: () => closed, reason: 'closed by now' })],
      approver: () => (closed = true),
    });
    expect(await call('act')).toMatchObject({ type: 'denied', reason: 'closed by now' });
    expect(host.calls).toEqual([]);
    expect(story({ journal })).toEqual(['decided asked', 'decided approved', 'decided denied']);
  });

  it(
    proves('G02', 'G03')('counts when a later pass asks: the person is asked, and a default that asks asks once'),
    async () => {
      let pass = 0;
      const { approver, requests: asked } = scriptedApprover([true]);
      const late = await rig({
        policy: ask('act', { when: () => ++pass > 1 }),
        hooks: [preToolCall(() => undefined, { name: 'time passes' })],
        approver,
      });
      expect((await late.call('act')).type).toBe('ok');
      expect(asked).toHaveLength(1);
      const byDefault = scriptedApprover([true]);
      const rigged = await rig({ policy: [], default: 'ask', approver: byDefault.approver });
      expect((await rigged.call('act')).type).toBe('ok');
      byDefault.assertDone();
      expect(only(eventsOf(rigged, 'tool_asked')).questions).toEqual(['May act run? No rule matches this call.']);
    },
  );

  it(
    proves('P18', 'G03')('counts for grants: the narrowest of guard, tool and every pass, shown, honoured, recorded'),
    async () => {
      const shown: unknown[] = [];
      const { call, journal } = await rig({
        tools: [{ name: 'act', grant: { outputBytes: 500, timeoutMs: 9_000 } }],
        grant: { timeoutMs: 8_000, outputBytes: 900 },
        policy: [
          allow('act', { when: is('one'), grant: { timeoutMs: 7_000 } }),
          allow('act', { when: is('two'), grant: { timeoutMs: 60_000, outputBytes: 20, approvalMs: 5 } }),
        ],
        hooks: [preToolCall(({ grant }) => void shown.push(grant), { name: 'look' }), rewriteTo('two')],
        does: { act: 'x'.repeat(400) },
      });
      const result = await call('act', { file: 'one' });
      expect(shown).toEqual([{ timeoutMs: 7_000, outputBytes: 500, approvalMs: undefined }]);
      expect(entriesOf({ journal }, 'decided')[0]?.grant).toEqual({ timeoutMs: 7_000, outputBytes: 20, approvalMs: 5 });
      expect(result.text).toBe(`${'x'.repeat(20)}… [cut: 380 more characters]`);
    },
  );
});

/** A hook's answer, an effect for each form of the args, a person's answers. */
const form = fc.constantFrom('a', 'b', 'c');
const hookAnswer = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'none' as const }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('transform' as const, 'replace' as const), form }) },
  { weight: 2, arbitrary: fc.constantFrom({ type: 'confirm' as const }, { type: 'confirm' as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ type: 'reject' as const }, { type: 'throw' as const }) },
);
const hookSpec = fc.record({ answer: hookAnswer, gate: fc.boolean(), async: fc.boolean() });
const personAnswer = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'approve' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'deny' as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('edit' as const), form }) },
);
const effect = fc.constantFrom<Effect>('allow', 'ask', 'deny');
const scenario = fc.record({
  effects: fc.record({ a: effect, b: effect, c: effect }),
  hooks: fc.array(hookSpec, { maxLength: 4 }),
  answers: fc.array(personAnswer, { maxLength: 4 }),
  someoneThere: fc.boolean(),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** What should happen, as plainly as it can be said: the form that runs, or undefined; and how often a person is asked. */
function model({ effects, hooks, answers, someoneThere }: Scenario): { ran: string | undefined; asked: number } {
  let now = 'a';
  let asked = 0;
  const open = new Set<string>();
  const approved = new Set<string>();
  const decide = (): boolean => {
    const said = effects[now as 'a'];
    if (said === 'ask' && !approved.has(`rule ${now}`)) open.add(`rule ${now}`);
    return said !== 'deny';
  };
  const denied = (): { ran: undefined; asked: number } => ({ ran: undefined, asked });
  if (!decide()) return denied();
  let replaced = false;
  for (const [index, { answer, gate }] of hooks.entries()) {
    if (replaced && !gate) continue;
    if (answer.type === 'reject' || answer.type === 'throw') return denied();
    if (answer.type === 'confirm') open.add(`hook ${index}`);
    if (answer.type !== 'transform' && answer.type !== 'replace') continue;
    if (replaced) return denied();
    now = answer.form;
    replaced = answer.type === 'replace';
  }
  if (now !== 'a' && !decide()) return denied();
  while (open.size > 0) {
    if (!someoneThere) return denied();
    const answer = answers[asked++];
    if (answer === undefined || answer.type === 'deny') return denied();
    const answered = [...open];
    open.clear();
    const edited = answer.type === 'edit' && answer.form !== now;
    if (edited) for (const each of approved) open.add(each);
    if (edited) approved.clear();
    for (const each of answered) approved.add(each);
    if (answer.type === 'edit') now = answer.form;
    if (edited && !decide()) return denied();
  }
  return { ran: now, asked };
}

function toHook({ answer, gate, async }: Scenario['hooks'][number], index: number): Hook {
  const given = (): ReturnType<NonNullable<Hook['preToolCall']>> => {
    switch (answer.type) {
      case 'transform':
        return transform({ file: answer.form });
      case 'replace':
        return replace({ file: answer.form });
      case 'confirm':
        return confirm('sure?');
      case 'reject':
        return reject('no');
      case 'throw':
        throw new TypeError('broken');
      default:
        return undefined;
    }
  };
  // A function as a promise gives: whatever comes, comes later.
  const method = async ? async () => given() : given;
  return preToolCall(method, { name: `hook ${index}`, gate });
}

describe('strictest wins', () => {
  it(proves('G03', 'G02', 'G05')('for any policy, hooks and answers: deny over ask over allow'), async () => {
    const outcomes = { ran: 0, denied: 0, asked: 0 };
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const builders = { allow, ask, deny };
        const names = ['a', 'b', 'c'] as const;
        const answerable = names.filter((name) => given.someoneThere || given.effects[name] !== 'ask');
        // A policy that asks where nobody answers cannot be built: that is tried elsewhere.
        const effects = Object.fromEntries(
          names.map((name) => [name, answerable.includes(name) ? given.effects[name] : 'allow']),
        ) as Scenario['effects'];
        const rules = names.map((name) => builders[effects[name]]('act', { when: is(name), name: `rule ${name}` }));
        const script = scriptedApprover(
          given.answers.map((answer): ApprovalAnswer | boolean => {
            if (answer.type === 'edit') return { type: 'approve', args: { file: answer.form } };
            return answer.type === 'approve';
          }),
        );
        const approver = given.someoneThere ? script.approver : undefined;
        const guard = createGuard({
          tools: [{ name: 'act' }],
          policy: rules,
          hooks: given.hooks.map(toHook),
          approver,
        });
        const host = scriptedHost({ act: 'done' });
        const session = await guard.start();
        const result = await session.turn().guard({ tool: 'act', args: { file: 'a' } }, host);
        const expected = model({ ...given, effects });
        expect({ ran: host.calls[0]?.args['file'], asked: script.requests.length }).toEqual(expected);
        expect(result.type).toBe(expected.ran === undefined ? 'denied' : 'ok');
        expect(result.text).not.toBe('');
        outcomes[expected.ran === undefined ? 'denied' : 'ran']++;
        outcomes.asked += expected.asked;
      }),
      { numRuns: runs(5_000) },
    );
    // The scenarios reach every side of the question.
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(runs(100));
  });
});
