/** Deny and forbid rules with `unknown: 'ask'`: a person decides what no fact tells, and only for that one call. */

import {
  allow,
  allowAll,
  ask,
  BridleError,
  createGuard,
  deny,
  denyAll,
  denyMcp,
  forbid,
  preToolCall,
  transform,
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
} from 'bridle';
import type { RuleCondition } from '../../policy/rules/rule.ts';
import type { RuleProposer } from 'bridle/policy-files';
import { scriptedApprover } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { entriesOf, only, rig, story } from '../../../../test/rigs/guard-rig.ts';

function tellUnknown(): never {
  throw new BridleError('FACT_UNKNOWN', 'nobody knows');
}

const unsure: RuleCondition = () => tellUnknown();
const perhaps = forbid('*', { name: 'secrets', when: unsure, unknown: 'ask' });

const broken: RuleCondition = () => {
  throw new TypeError('broken');
};

/** Unknown the first time, then whatever is given. */
function turning(then: () => boolean): RuleCondition {
  let calls = 0;
  return () => (calls++ === 0 ? tellUnknown() : then());
}

describe('a rule that asks if its condition is unknown', () => {
  for (const make of [deny, forbid]) {
    it(proves('P19', 'X01')(`asks, although another rule allows the call: ${make.name}`), async () => {
      const { approver, requests: asked } = scriptedApprover([true, false]);
      const rule = make('act', { name: 'r', when: unsure, unknown: 'ask' });
      const rigged = await rig({ policy: [rule, allowAll()], approver });
      expect(await rigged.call('act')).toMatchObject({ type: 'ok' });
      expect(await rigged.call('act')).toMatchObject({ type: 'denied', status: 'refused', rule: { name: 'r' } });
      expect(asked.map(({ questions }) => questions.map(({ rule: by }) => by?.name))).toEqual([['r'], ['r']]);
      expect(story(rigged).slice(0, 3)).toEqual(['decided asked', 'decided approved', 'settled ok']);
    });

    it(proves('P19')(`denies if its condition is certainly true, without asking: ${make.name}`), async () => {
      const { approver, requests: asked } = scriptedApprover([true]);
      const rule = make('act', { name: 'r', reason: 'no', when: () => true, unknown: 'ask' });
      const { call, host } = await rig({ policy: [rule, allowAll()], approver });
      expect(await call('act')).toMatchObject({ type: 'denied', status: 'denied', reason: 'no' });
      expect([asked.length, host.calls.length]).toEqual([0, 0]);
    });

    it(proves('P19', 'P05')(`denies if its predicate fails: ${make.name}`), async () => {
      const { approver, requests: asked } = scriptedApprover([true]);
      const { call } = await rig({ policy: [make('act', { when: broken, unknown: 'ask' }), allowAll()], approver });
      expect(await call('act')).toMatchObject({ type: 'denied', status: 'denied' });
      expect(asked).toEqual([]);
    });
  }

  it(proves('P19')('leaves every other rule in force: the stricter answer wins'), async () => {
    const { approver, requests: asked } = scriptedApprover([true]);
    const later = [
      forbid('*', { name: 'later', when: () => true }),
      deny('act', { name: 'later' }),
      forbid('*', { name: 'later', when: unsure }),
    ];
    for (const rule of later) {
      const { call } = await rig({ policy: [perhaps, rule, allowAll()], approver });
      expect(await call('act')).toMatchObject({ type: 'denied', status: 'denied', rule: { name: 'later' } });
    }
    const strict = await rig({ policy: [perhaps], approver, default: 'deny' });
    expect(await strict.call('act')).toMatchObject({ type: 'denied', status: 'denied' });
    expect(asked).toEqual([]);
  });

  it(proves('P19', 'G05')('asks together with every other rule that asks, as one question'), async () => {
    const { approver, requests: asked } = scriptedApprover([true]);
    const { call } = await rig({ policy: [perhaps, ask('act', { name: 'careful' })], approver });
    expect(await call('act')).toMatchObject({ type: 'ok' });
    expect(only(asked).questions.map(({ rule }) => rule?.name)).toEqual(['secrets', 'careful']);
  });

  it(proves('P19', 'P18')('keeps the grant of the rule that allows the call'), async () => {
    const { approver } = scriptedApprover([true]);
    const policy = [perhaps, allow('act', { grant: { timeoutMs: 50, outputBytes: 10 } })];
    const rigged = await rig({ policy, approver });
    await rigged.call('act');
    expect(entriesOf(rigged, 'decided').at(-1)?.grant).toMatchObject({ timeoutMs: 50, outputBytes: 10 });
  });
});

const onSecret: RuleCondition = ({ on }) => (on === 'secret' ? true : tellUnknown());

describe('a call that is decided again after its approval', () => {
  it(proves('P19')('passes if the condition is still unknown, without a second question'), async () => {
    const { approver, requests: asked } = scriptedApprover([true]);
    const { call } = await rig({ policy: [perhaps, allowAll()], approver });
    expect(await call('act')).toMatchObject({ type: 'ok' });
    expect(asked).toHaveLength(1);
  });

  it(proves('P19')('passes if the condition is certainly false now'), async () => {
    const { approver } = scriptedApprover([true]);
    const rule = forbid('*', { when: turning(() => false), unknown: 'ask' });
    const { call } = await rig({ policy: [rule, allowAll()], approver });
    expect(await call('act')).toMatchObject({ type: 'ok' });
  });

  it(proves('P19')('is denied if the condition is certainly true now'), async () => {
    const { approver, requests: asked } = scriptedApprover([true]);
    const rule = forbid('*', { name: 'r', reason: 'secret', when: turning(() => true), unknown: 'ask' });
    const { call, host } = await rig({ policy: [rule, allowAll()], approver });
    expect(await call('act')).toMatchObject({ type: 'denied', status: 'denied', reason: 'secret' });
    expect([asked.length, host.calls.length]).toEqual([1, 0]);
  });

  it(proves('P19', 'G02')('is asked about again if another rule has become unknown'), async () => {
    const { approver, requests: asked } = scriptedApprover([true, true]);
    let known = true;
    const other = forbid('*', { name: 'other', when: () => (known ? false : tellUnknown()), unknown: 'ask' });
    const first: Approver = (request, options) => ((known = false), approver(request, options));
    const { call } = await rig({ policy: [perhaps, other, allowAll()], approver: first });
    expect(await call('act')).toMatchObject({ type: 'ok' });
    expect(asked.map(({ questions }) => questions.map(({ rule }) => rule?.name))).toEqual([['secrets'], ['other']]);
  });

  it(proves('P19', 'G02')('is decided for the args that a hook or a person wrote'), async () => {
    const policy = [forbid('*', { name: 'r', reason: 'secret', when: onSecret, unknown: 'ask' }), allowAll()];
    const rewrite = preToolCall(({ call: { args } }) => (args['on'] === 'x' ? transform({ on: 'a' }) : undefined), {
      name: 'rewrite',
    });
    const edits: ApprovalAnswer[] = ['b', 'secret'].map((on) => ({ type: 'approve', args: { on } }));
    const { approver, requests: asked } = scriptedApprover(edits);
    const { call } = await rig({ policy, approver, hooks: [rewrite] });
    expect(await call('act', { on: 'x' })).toMatchObject({ type: 'ok' });
    expect(await call('act', { on: 'x' })).toMatchObject({ type: 'denied', reason: 'secret' });
    expect(asked.map(({ call: { args } }) => args)).toEqual([{ on: 'a' }, { on: 'a' }]);
  });
});

describe('a remembered answer', () => {
  const proposals: RuleProposer = {
    propose: () => ({ text: 'every act', data: null }),
    covers: () => true,
  };
  const always: ApprovalAnswer = { type: 'approve', remember: 'session', rule: true };

  it(proves('P19', 'Q02')('counts for exactly the call that was shown'), async () => {
    const asked: ApprovalRequest[] = [];
    const approver: Approver = (request) => (asked.push(request), always);
    const { call } = await rig({ policy: [perhaps, allowAll()], approver, proposals });
    await call('act', { on: 'a' });
    await call('act', { on: 'a' });
    await call('act', { on: 'b' });
    expect(asked.map(({ call: { args }, proposal }) => [args['on'], proposal])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  it(proves('P19', 'Q02')('for other rules does not cover what may be forbidden'), async () => {
    const asked: ApprovalRequest[] = [];
    const approver: Approver = (request) => (asked.push(request), always);
    const sometimes = forbid('*', {
      name: 's',
      when: ({ on }) => (on === 'b' ? tellUnknown() : false),
      unknown: 'ask',
    });
    const { call } = await rig({ policy: [sometimes, ask('act', { name: 'careful' })], approver, proposals });
    for (const on of ['a', 'c', 'b', 'b2', 'b']) await call('act', { on });
    expect(asked.map(({ call: { args } }) => args['on'])).toEqual(['a', 'b']);
  });
});

describe('without an approver', () => {
  it(proves('P19', 'P10')('the call is denied, and creating the guard is not an error'), async () => {
    const { call, host } = await rig({ policy: [perhaps, allowAll()] });
    expect(await call('act')).toMatchObject({ type: 'denied', status: 'denied', rule: { name: 'secrets' } });
    expect(host.calls).toEqual([]);
  });

  it(proves('P19')('a call that certainly is not meant runs'), async () => {
    const rule = forbid('*', { when: () => false, unknown: 'ask' });
    const { call } = await rig({ policy: [rule, allowAll()] });
    expect(await call('act')).toMatchObject({ type: 'ok' });
  });
});

const build = (policy: Parameters<typeof createGuard>[0]['policy']) => () =>
  createGuard({ tools: [{ name: 'act' }], servers: [{ name: 'gh' }], policy, default: 'allow' });

describe('unknown', () => {
  it(proves('P19', 'P07')('is an option of every builder that denies'), () => {
    const options = { when: unsure, unknown: 'ask' } as const;
    const rules = [deny('act', options), forbid('act', options), denyAll(options), denyMcp('gh', ['a'], options)];
    expect(rules.flat(2)).toMatchObject([
      { unknown: 'ask' },
      { unknown: 'ask' },
      { unknown: 'ask' },
      { unknown: 'ask' },
    ]);
    expect(build(rules)).not.toThrow();
  });

  it(proves('P19')('is refused where it means nothing'), () => {
    expect(build(allow('act', { when: unsure, unknown: 'ask' } as never))).toThrow('only a deny or forbid rule');
    expect(build(ask('act', { when: unsure, unknown: 'deny' } as never))).toThrow('only a deny or forbid rule');
    expect(build(forbid('act', { unknown: 'ask' }))).toThrow("unknown: 'ask' needs a condition");
    expect(build(deny('act', { when: unsure, unknown: 'allow' as never }))).toThrow('"deny" or "ask"');
  });
});
