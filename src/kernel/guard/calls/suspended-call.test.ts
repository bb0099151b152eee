/** Calls that wait for an answer elsewhere, go on in another process, or did not live to end. */

import {
  allow,
  ask,
  BridleError,
  createGuard,
  deny,
  onToolError,
  postToolCall,
  preToolCall,
  recover,
  transform,
} from 'bridle';
import type { ApprovalRequest, Approver, JournalEntry } from 'bridle';
import type { ReusableAnswer } from '../../approval.ts';
import { type AnswerMemory, rememberAnswers, type RuleProposer } from 'bridle/policy-files';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { blockingClock } from '../../../../test/rigs/blocking-clock.ts';
import { entriesOf, eventsOf, rig, story } from '../../../../test/rigs/guard-rig.ts';

const asks = [ask('act'), allow('look')];

function waitsInside(): never {
  throw new BridleError('CALL_SUSPENDED', 'a subagent waits');
}

describe('a call that is suspended', () => {
  it(proves('Q03')('does not run and is not refused: the journal records only that it was asked'), async () => {
    const rigged = await rig({ policy: asks, approver: () => ({ type: 'suspend' }) });
    const result = await rigged.call('act', { n: 1 });
    expect(result).toMatchObject({ type: 'denied', status: 'suspended' });
    expect(story(rigged)).toEqual(['decided asked']);
    expect(rigged.host.calls).toEqual([]);
    expect(eventsOf(rigged, 'tool_denied')).toEqual([]);
  });

  it('because of what runs inside it is not settled either', async () => {
    const after: unknown[] = [];
    const rigged = await rig({
      does: { act: waitsInside },
      hooks: [postToolCall((payload) => void after.push(payload), { name: 'after' })],
    });
    expect(await rigged.call('act')).toMatchObject({ type: 'denied', status: 'suspended', reason: 'a subagent waits' });
    expect(story(rigged)).toEqual(['decided allowed']);
    expect(after).toEqual([]);
  });

  it('expires as its own outcome when the approver says so', async () => {
    const rigged = await rig({ policy: asks, approver: () => ({ type: 'expire' }) });
    expect(await rigged.call('act')).toMatchObject({ type: 'denied', status: 'expired' });
    expect(story(rigged)).toEqual(['decided asked', 'decided expired']);
  });
});

const earlier = (answer: Awaited<ReturnType<NonNullable<Approver['earlier']>>>): Approver & { seen: string[] } => {
  const seen: string[] = [];
  const approver = (request: ApprovalRequest) => {
    seen.push(request.id);
    return true;
  };
  return Object.assign(approver, { earlier: () => answer, seen });
};

describe('a question that was put before', () => {
  it(proves('Q03')('continues under its id, and is not recorded as asked again'), async () => {
    const approver = earlier({ id: 'known' as ApprovalRequest['id'] });
    const rigged = await rig({ policy: asks, approver });
    expect(await rigged.call('act')).toMatchObject({ type: 'ok' });
    expect(approver.seen).toEqual(['known']);
    expect(story(rigged)).toEqual(['decided approved', 'settled ok']);
    expect(entriesOf(rigged, 'decided')[0]?.approval).toMatchObject({ id: 'known' });
  });

  it(proves('Q03')('about another call than the one that was shown denies this one'), async () => {
    const approver = earlier({ refused: 'the args are others' });
    const rigged = await rig({ policy: asks, approver });
    expect(await rigged.call('act')).toMatchObject({ type: 'denied', status: 'denied', reason: 'the args are others' });
    expect(approver.seen).toEqual([]);
    expect(rigged.host.calls).toEqual([]);
    expect(story(rigged)).toEqual(['decided denied']);
  });

  it(proves('Q03')('is looked for after policy and hooks have run again'), async () => {
    const seen: unknown[] = [];
    const approver: Approver = Object.assign(() => true, {
      earlier: (request: ApprovalRequest) => {
        seen.push(request.call.args);
        return undefined;
      },
    });
    const rewrite = preToolCall(({ call }) => transform({ ...call.args, hooked: true }), { name: 'rewrite' });
    const rigged = await rig({ policy: asks, approver, hooks: [rewrite] });
    await rigged.call('act', { n: 1 });
    expect(seen).toEqual([{ hooked: true, n: 1 }]);
  });

  it('that cannot be looked for denies', async () => {
    const approver: Approver = Object.assign(() => true, {
      earlier: () => Promise.reject(new Error('the store is away')),
    });
    const rigged = await rig({ policy: asks, approver });
    expect(await rigged.call('act')).toMatchObject({ type: 'denied', status: 'denied' });
    expect(rigged.host.calls).toEqual([]);
  });
});

const interrupted = { type: 'interrupted', value: 'The call was interrupted.' } as const;

describe('an interrupted call', () => {
  it(proves('R07', 'G06', 'Q05')('settles as such, once, with its hooks, and does not run'), async () => {
    const after: unknown[] = [];
    const rigged = await rig({
      hooks: [postToolCall(({ outcome }) => void after.push(outcome.type), { name: 'after' })],
    });
    const result = await rigged.turn.settle({ id: 'c1', tool: 'act', args: { n: 1 } }, interrupted);
    expect(result).toMatchObject({ type: 'interrupted', isError: true, text: expect.stringContaining('interrupted') });
    expect(story(rigged)).toEqual(['settled interrupted']);
    expect(after).toEqual(['interrupted']);
    expect(rigged.host.calls).toEqual([]);
  });

  it('can be recovered by a hook', async () => {
    const rigged = await rig({ hooks: [onToolError(() => recover('looked: it was done'), { name: 'look after it' })] });
    const result = await rigged.turn.settle({ id: 'c1', tool: 'act' }, interrupted);
    expect(result).toMatchObject({ type: 'recovered', value: 'looked: it was done' });
  });
});

const entries = (): AnswerMemory & { readonly kept: (readonly [string, ReusableAnswer, number])[] } => {
  const kept: (readonly [string, ReusableAnswer, number])[] = [];
  return {
    kept,
    find: async ({ binding }) => {
      const found = kept.find(([key]) => key === binding);
      return found && { ...found[1], leftMs: found[2] };
    },
    keep: async (query, answer, forMs) => void kept.push([query.binding, answer, forMs]),
  };
};

describe('a book of answers', () => {
  it(proves('Q02')('is needed: without one, an answer counts once, whatever it says'), async () => {
    let asked = 0;
    const approver: Approver = () => (asked++, { type: 'approve', remember: 'session' });
    const guard = createGuard({ tools: [{ name: 'act' }], policy: ask('act'), approver });
    const turn = (await guard.start()).turn();
    for (const time of [1, 2]) {
      expect(await turn.guard({ tool: 'act' }, { run: () => 'done' })).toMatchObject({ type: 'ok' });
      expect(asked).toBe(time);
    }
  });

  it(proves('Q02')('of sessions keeps the answers of two sessions with the same id apart'), async () => {
    let asked = 0;
    const approver = rememberAnswers(() => (asked++, { type: 'approve', remember: 'session' }));
    const guard = createGuard({ tools: [{ name: 'act' }], policy: ask('act'), approver });
    for (const time of [1, 2]) {
      const session = await guard.start({ id: 'same' });
      const turn = session.turn();
      await turn.guard({ tool: 'act' }, { run: () => 'done' });
      await turn.guard({ tool: 'act' }, { run: () => 'done' });
      expect(asked).toBe(time);
      await session.end();
    }
  });

  it(proves('Q02')('of a handler is its own if it has one, also without an approver'), async () => {
    for (const remembers of [true, false]) {
      let asked = 0;
      const answer: Approver = () => (asked++, { type: 'approve', remember: 'session' });
      const handler = remembers ? rememberAnswers(answer) : answer;
      const rigged = await rig({ policy: ask('act', { handler }) });
      await rigged.call('act');
      expect(await rigged.call('act')).toMatchObject({ type: 'ok' });
      expect(asked).toBe(remembers ? 1 : 2);
    }
  });

  it(proves('Q02')('keeps no answer that does not count: too late, malformed or without a record'), async () => {
    const answers = entries();
    const clock = blockingClock();
    const remembered = { type: 'approve', remember: 'session' } as const;
    const late: Approver = () => (clock.block(2000), remembered);
    const malformed: Approver = () => ({ ...remembered, reason: 'why not' }) as never;
    for (const approver of [late, malformed]) {
      const rigged = await rig({ policy: asks, clock, approver, answers, askTimeoutMs: 1000 });
      expect(await rigged.call('act')).toMatchObject({ type: 'denied' });
    }
    const journal = {
      append(entry: JournalEntry) {
        if (entry.kind === 'noted') throw new RangeError('disk full');
      },
    };
    const rigged = await rig({ policy: asks, approver: () => remembered, answers, journal });
    expect(await rigged.call('act')).toMatchObject({ type: 'ok' });
    expect(answers.kept).toEqual([]);
  });

  it(proves('Q02')('replaces the memory of the session'), async () => {
    const answers = entries();
    let asked = 0;
    const approver: Approver = () => ({ type: 'approve', remember: { ms: 5000 }, by: `person ${++asked}` });
    const first = await rig({ policy: asks, approver, answers, start: { id: 's' } });
    await first.call('act', { n: 1 });
    const second = await rig({ policy: asks, approver, answers, start: { id: 's' } });
    expect(await second.call('act', { n: 1 })).toMatchObject({ type: 'ok' });
    expect(asked).toBe(1);
    await second.call('act', { n: 2 });
    expect(asked).toBe(2);
    expect(answers.kept.map(([, , forMs]) => forMs)).toEqual([5000, 5000]);
  });

  it('that fails denies, and never opens', async () => {
    const broken: AnswerMemory = { find: () => Promise.reject(new Error('damaged')), keep: () => undefined };
    const rigged = await rig({ policy: asks, approver: () => true, answers: broken });
    expect(await rigged.call('act')).toMatchObject({ type: 'denied', reason: expect.stringContaining('damaged') });
  });
});

const accept: Approver = () => ({ type: 'approve', remember: 'session', rule: true });
const wrong: Approver = () => ({ type: 'deny', rule: true }) as never;

describe('a proposed rule', () => {
  const proposals: RuleProposer = {
    propose: ({ call: { args } }) => ({ text: `act on ${args['on'] as string}`, data: args['on'] ?? null }),
    covers: ({ data }, { call: { args } }) => args['on'] === data,
  };

  it(proves('Q02')('is shown, and counts for the calls it covers once it is accepted'), async () => {
    const shown: (string | undefined)[] = [];
    const approver: Approver = (request, options) => {
      shown.push(request.proposal?.text);
      return accept(request, options);
    };
    const rigged = await rig({ policy: asks, approver, proposals });
    await rigged.call('act', { on: 'a', n: 1 });
    await rigged.call('act', { on: 'a', n: 2 });
    expect(shown).toEqual(['act on a']);
    await rigged.call('act', { on: 'b', n: 1 });
    expect(shown).toEqual(['act on a', 'act on b']);
    expect(entriesOf(rigged, 'noted')[0]?.detail).toMatchObject({ rule: 'act on a' });
  });

  it(proves('Q02')('is not remembered unless it was accepted, and never beats a deny'), async () => {
    let asked = 0;
    const only: Approver = () => (asked++, { type: 'approve', remember: 'session' });
    const rigged = await rig({ policy: asks, approver: only, proposals });
    await rigged.call('act', { on: 'a', n: 1 });
    await rigged.call('act', { on: 'a', n: 2 });
    expect(asked).toBe(2);
    const policy = [deny('act', { when: ({ n }) => n === 2 }), ask('act')];
    const denied = await rig({ policy, approver: accept, proposals });
    expect(await denied.call('act', { on: 'a', n: 1 })).toMatchObject({ type: 'ok' });
    expect(await denied.call('act', { on: 'a', n: 2 })).toMatchObject({ type: 'denied', status: 'denied' });
  });

  it('is refused with a deny, and options that are none are named', async () => {
    const rigged = await rig({ policy: asks, approver: wrong, proposals });
    expect(await rigged.call('act', { on: 'a' })).toMatchObject({ type: 'denied', status: 'denied' });
    expect(() => rememberAnswers(accept, { answers: {} as never })).toThrow('answers');
    expect(() => rememberAnswers(accept, { proposals: {} as never })).toThrow('proposals');
    expect(() => rememberAnswers({} as never)).toThrow('function');
  });
});
