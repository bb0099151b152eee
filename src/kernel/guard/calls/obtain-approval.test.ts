/** Who is asked what, what counts as a yes, and for what it counts. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  type GuardOptions,
  type SessionOptions,
} from 'bridle';
import type { RememberDuration } from '../../approval.ts';
import { workspaceOnly } from 'bridle/facts';
import { fakeClock, memoryJournal, scriptedApprover } from 'bridle/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import {
  entriesOf,
  eventsOf,
  later,
  never,
  only,
  rig,
  story,
  thenable,
  untouchable,
} from '../../../../test/rigs/guard-rig.ts';

const build = (policy: GuardOptions['policy'], more: Partial<GuardOptions> = {}) =>
  createGuard({ tools: [{ name: 'act' }], policy, ...more });
const remembering = (remember: RememberDuration, rest: readonly (boolean | ApprovalAnswer)[] = []) =>
  scriptedApprover([{ type: 'approve', by: 'ann', remember }, ...rest]);
const wants = (name: string) => preToolCall(() => confirm(`${name}?`), { name });

describe('who is asked', () => {
  it(proves('G05')('the approver, once, for an ask rule and every hook that wants a confirmation'), async () => {
    const { approver, requests: asked } = scriptedApprover([true]);
    const rigged = await rig({
      policy: ask('act', { reason: 'rule?' }),
      hooks: [wants('one'), wants('two')],
      approver,
    });
    expect((await rigged.call('act')).type).toBe('ok');
    expect(only(asked).questions.map(({ text, rule, hook }) => [text, rule?.name, hook])).toEqual([
      ['rule?', 'ask act', undefined],
      ['one?', undefined, 'one'],
      ['two?', undefined, 'two'],
    ]);
    expect(only(eventsOf(rigged, 'tool_asked'))).toMatchObject({
      questions: ['rule?', 'one?', 'two?'],
      approvalId: only(asked).id,
    });
    expect(story(rigged)).toEqual(['decided asked', 'decided approved', 'settled ok']);
    expect(entriesOf(rigged, 'decided')[0]).toMatchObject({
      rule: { name: 'ask act' },
      hook: 'one',
      reason: 'rule?; one?; two?',
      approval: { id: only(asked).id },
    });
  });

  it(
    proves('G05')('the handler of a rule for that rule alone, the approver for the rest, in two questions'),
    async () => {
      const handler = scriptedApprover([{ type: 'approve', by: 'owner' }]);
      const general = scriptedApprover([{ type: 'approve', by: 'boss' }]);
      const rigged = await rig({
        policy: ask('act', { name: 'own', handler: handler.approver }),
        hooks: [wants('hook')],
        approver: general.approver,
      });
      expect((await rigged.call('act')).type).toBe('ok');
      expect(only(handler.requests).questions).toMatchObject([{ rule: { name: 'own' }, hook: undefined }]);
      expect(only(general.requests).questions).toMatchObject([{ rule: undefined, hook: 'hook' }]);
      // Each answer is a record: who gave it is kept of both.
      expect(entriesOf(rigged, 'decided').map(({ status, approval }) => [status, approval?.by])).toEqual([
        ['asked', undefined],
        ['approved', 'owner'],
        ['asked', undefined],
        ['approved', 'boss'],
      ]);
      const ids = entriesOf(rigged, 'decided').map(({ approval }) => approval?.id);
      expect([ids[0], ids[2]]).toEqual([ids[1], ids[3]]);
      expect(eventsOf(rigged, 'tool_approved').map(({ by }) => by)).toEqual(['owner', 'boss']);
    },
  );

  it(proves('G05')('the handler of the rule that decided, not that of another one'), async () => {
    const first = scriptedApprover([true]);
    const second = scriptedApprover([]);
    const { call } = await rig({
      policy: [
        ask('act', { when: arg('n', (n) => n === 1), handler: first.approver }),
        ask('act', { handler: second.approver }),
      ],
    });
    expect((await call('act', { n: 1 })).type).toBe('ok');
    first.assertDone();
    second.assertDone();
  });

  it(proves('G05')('nobody, if an approver is needed but missing: not even a handler before it'), async () => {
    const handler = scriptedApprover([]);
    const { call, host } = await rig({ policy: ask('act', { handler: handler.approver }), hooks: [wants('hook')] });
    expect(await call('act')).toMatchObject({
      type: 'denied',
      status: 'denied',
      hook: 'hook',
      reason:
        'Denied act: hook "hook" requires approval, and there is nobody to ask. The question was: hook? To allow it, give the guard an approver.',
    });
    handler.assertDone();
    expect(host.calls).toEqual([]);
  });

  it(proves('G05', 'G03')('nobody, if a hook rejects after another one asked for confirmation'), async () => {
    const { approver, assertDone: done } = scriptedApprover([]);
    const no = preToolCall(() => reject('no'), { name: 'no' });
    const { call } = await rig({ hooks: [wants('hook'), no], approver });
    expect(await call('act')).toMatchObject({ type: 'denied', hook: 'no', reason: 'no' });
    done();
  });

  it(proves('P10')('an approver, or the guard cannot be created: the error names the rule'), () => {
    expect(() => build(ask('act', { name: 'careful' }))).toThrow(/"careful".*nobody to answer/);
    expect(() => build([], { default: 'ask' })).toThrow(/default: 'ask'.*nobody/);
    expect(build(ask('act', { handler: () => true })).warnings).toEqual([]);
    expect(build(ask('act'), { approver: () => true }).warnings).toEqual([]);
  });
});

describe('what counts as an approval', () => {
  const yes: readonly unknown[] = [
    true,
    { type: 'approve' },
    { type: 'approve', by: 'ann' },
    { type: 'approve', remember: 'turn' },
    { type: 'approve', args: undefined, remember: undefined, by: undefined },
  ];
  for (const answer of yes) {
    it(proves('P10')(`${JSON.stringify(answer)}, synchronously or later`), async () => {
      for (const given of [answer, Promise.resolve(answer), giving(answer)]) {
        const { call } = await rig({ policy: ask('act'), approver: () => given as never });
        expect((await call('act')).type).toBe('ok');
      }
    });
  }

  const no: readonly (readonly [string, unknown])[] = [
    ['the text true', 'true'],
    ['yes', 'yes'],
    ['one', 1],
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['a list', [true]],
    ['a Boolean object', Object(true)],
    ['a symbol', Symbol('approve')],
    ['another word', { type: 'approved' }],
    ['another case', { type: 'Approve' }],
    ['a flag', { approve: true }],
    ['a field too many', { type: 'approve', always: true }],
    ['a wrong by', { type: 'approve', by: 7 }],
    ['an empty by', { type: 'approve', by: '' }],
    ['a wrong remember', { type: 'approve', remember: 'forever' }],
    ['a remember without an end', { type: 'approve', remember: { ms: Number.POSITIVE_INFINITY } }],
    ['a remember of no time', { type: 'approve', remember: { ms: 0 } }],
    ['a remember of a text', { type: 'approve', remember: { ms: '5' } }],
    ['args that are no JSON', { type: 'approve', args: { n: () => 1 } }],
    ['an approval by inheritance', Object.create({ type: 'approve' })],
    ['a function', () => true],
    ['an error', new Error('approve')],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          get: () => {
            throw new TypeError('trap');
          },
        },
      ),
    ],
    ['a then that throws', untouchable()],
    ['a promise of a promise of nonsense', Promise.resolve(Promise.resolve('yes'))],
  ];
  for (const [name, answer] of no) {
    it(proves('P10')(`not ${name}, synchronously or later`), async () => {
      for (const given of [answer, giving(answer)]) {
        const { call, host } = await rig({ policy: ask('act'), approver: () => given as never });
        const result = await call('act');
        expect(result).toMatchObject({ type: 'denied', isError: true, status: 'denied' });
        expect(result.text.length).toBeGreaterThan(10);
        expect(host.calls).toEqual([]);
      }
    });
  }

  it(proves('P10', 'Q02')('not an answer after the time limit, in any form'), async () => {
    const clock = fakeClock();
    const { resolve, promise } = later<boolean>();
    const hung = await rig({ clock, policy: ask('act'), approver: () => promise, askTimeoutMs: 1_000 });
    const pending = hung.call('act');
    await clock.advance(1_200);
    expect(await pending).toMatchObject({
      type: 'denied',
      status: 'expired',
      reason: expect.stringContaining('expired'),
    });
    resolve(true);
    await clock.advance(100);
    expect(hung.host.calls).toEqual([]);
    expect(story(hung)).toEqual(['decided asked', 'decided expired']);
    // An approver that blocks answers when nobody waits any more.
    let now = 0;
    const blocking = await rig({
      clock: { ...clock, now: () => now },
      policy: ask('act'),
      approver: () => ((now += 1_001), true),
      askTimeoutMs: 1_000,
    });
    expect(await blocking.call('act')).toMatchObject({ type: 'denied', status: 'expired' });
    expect(blocking.host.calls).toEqual([]);
  });

  it(proves('P10')('not a thenable that gives one that never answers'), async () => {
    const { call, clock, host } = await rig({
      policy: ask('act'),
      approver: () => giving(never()) as never,
      askTimeoutMs: 1_000,
    });
    const pending = call('act');
    await clock.advance(1_200);
    expect(await pending).toMatchObject({ type: 'denied', status: 'expired' });
    expect(host.calls).toEqual([]);
  });

  it(proves('P10')('the first answer of one that answers twice'), async () => {
    const twice = thenable((yes) => (yes(false), yes(true)));
    const { call, host } = await rig({ policy: ask('act'), approver: () => twice as never });
    expect(await call('act')).toMatchObject({ type: 'denied', status: 'refused' });
    expect(host.calls).toEqual([]);
  });

  it(proves('P10')('informs an approver that nobody waits any more'), async () => {
    const signals: AbortSignal[] = [];
    const approver: Approver = (_request, { signal }) => (signals.push(signal), signals.length === 1 ? true : never());
    const { call, clock, turn } = await rig({ policy: ask('act'), approver, askTimeoutMs: 1_000 });
    await call('act');
    expect(signals[0]?.aborted).toBe(true);
    const expiring = call('act');
    await clock.advance(500);
    expect(signals[1]?.aborted).toBe(false);
    await clock.advance(700);
    await expiring;
    expect(signals[1]?.aborted).toBe(true);
    const cancelled = call('act');
    await clock.advance(0);
    turn.cancel();
    expect((await cancelled).type).toBe('denied');
    expect(signals[2]?.aborted).toBe(true);
  });

  it(proves('Q02', 'G12')('keeps who answered and why, within the limits on names and reasons'), async () => {
    const answer: ApprovalAnswer = { type: 'deny', by: 'b'.repeat(500), reason: 'r'.repeat(9_000) };
    const { call, journal } = await rig({
      policy: ask('act', { reason: 'q'.repeat(9_000) }),
      approver: () => answer,
      limits: { nameLength: 20, reasonLength: 50 },
    });
    expect((await call('act')).text).toBe(`${'r'.repeat(50)}… [cut: 8950 more characters]`);
    const [asked, refused] = entriesOf({ journal }, 'decided');
    expect(refused?.approval?.by).toBe(`${'b'.repeat(20)}… [cut: 480 more characters]`);
    expect(asked?.reason?.length).toBeLessThan(100);
  });
});

/** What a promise gives, by something that is none. */
function giving(value: unknown): PromiseLike<never> {
  return thenable((yes) => yes(value));
}

describe('an approval', () => {
  it(proves('Q01')('counts for one execution: the same call is asked about again'), async () => {
    const { approver, requests: asked } = scriptedApprover([true, true, false]);
    const { call, host } = await rig({ policy: ask('act'), approver });
    expect((await call('act', { n: 1 })).type).toBe('ok');
    expect((await call('act', { n: 1 })).type).toBe('ok');
    expect(await call('act', { n: 1 })).toMatchObject({ type: 'denied', status: 'refused' });
    expect(new Set(asked.map(({ id }) => id)).size).toBe(3);
    expect(host.calls).toHaveLength(2);
  });

  it(proves('Q01')('of two concurrent calls are separate: an answer to one does not count for the other'), async () => {
    const answers = new Map<unknown, ReturnType<typeof later<boolean>>>();
    const approver: Approver = ({ call: { args } }) => {
      const answer = later<boolean>();
      answers.set(args['n'], answer);
      return answer.promise;
    };
    const { call, host, clock } = await rig({ policy: ask('act'), approver });
    const pending = [call('act', { n: 1 }), call('act', { n: 2 })];
    await clock.advance(0);
    answers.get(2)?.resolve(true);
    await clock.advance(0);
    expect(host.calls.map(({ args }) => args)).toEqual([{ n: 2 }]);
    answers.get(1)?.resolve(false);
    expect((await Promise.all(pending)).map(({ type }) => type)).toEqual(['denied', 'ok']);
    expect(host.calls).toHaveLength(1);
  });

  it(
    proves('Q01', 'P18')('expires: the narrowest grant of all rules involved counts, from the first answer on'),
    async () => {
      const clock = fakeClock();
      const slow = later<boolean>();
      const rigged = await rig({
        clock,
        policy: ask('act', { handler: () => true, grant: { approvalMs: 1_000 } }),
        hooks: [wants('hook')],
        approver: () => slow.promise,
      });
      const pending = rigged.call('act');
      await clock.advance(1_500);
      // The second yes comes when the first is no longer worth anything.
      slow.resolve(true);
      expect(await pending).toMatchObject({ type: 'denied', status: 'expired' });
      expect(rigged.host.calls).toEqual([]);
      expect(entriesOf(rigged, 'decided').at(-1)).toMatchObject({ status: 'expired', grant: { approvalMs: 1_000 } });
    },
  );

  it(proves('Q01', 'P18')('expires while its own record is being written'), async () => {
    const memory = memoryJournal();
    const writing = later<void>();
    const { call, clock, host } = await rig({
      policy: ask('act', { grant: { approvalMs: 500 } }),
      approver: () => true,
      journal: {
        append: (entry) =>
          entry.status === 'approved' ? writing.promise.then(() => memory.append(entry)) : memory.append(entry),
      },
    });
    const pending = call('act');
    await clock.advance(600);
    writing.resolve();
    expect(await pending).toMatchObject({ type: 'denied', status: 'expired' });
    expect(host.calls).toEqual([]);
    expect(story({ journal: memory })).toEqual(['decided asked', 'decided approved', 'decided expired']);
  });

  it(proves('Q01')('that has not expired lets the call run'), async () => {
    const slow = later<boolean>();
    const { call, clock } = await rig({
      policy: ask('act', { grant: { approvalMs: 1_000 } }),
      approver: () => slow.promise,
    });
    const pending = call('act');
    // Waiting for the answer is not yet holding it.
    await clock.advance(5_000);
    slow.resolve(true);
    expect((await pending).type).toBe('ok');
  });

  it(proves('Q01')('is of the policy version, the session and the call that were shown'), async () => {
    const asked: ApprovalRequest[] = [];
    const { call } = await rig({
      policy: ask('act'),
      approver: (request) => (asked.push(request), true),
      start: { id: 's1', agent: ['main', 'helper'], cwd: '/work' },
    });
    await call('act', { b: 1, a: 2 });
    const request = only(asked);
    expect(request.call).toMatchObject({
      session: 's1',
      agent: ['main', 'helper'],
      cwd: '/work',
      args: { a: 2, b: 1 },
    });
    expect(request.policyVersion).toMatch(/^[0-9a-f]{16}$/);
    expect(request.expiresAt).toBe(Date.UTC(2026, 0, 1) + 600_000);
  });
});

describe('files behind an approved path', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-consent-')));
    for (const name of ['harmless', 'precious']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'file'), name);
    }
    symlinkSync('harmless', join(folder, 'link'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const retarget = (to: string): void => {
    unlinkSync(join(folder, 'link'));
    symlinkSync(to, join(folder, 'link'));
  };
  const pathed = (approver: Approver, more = {}) =>
    rig({
      tools: [{ name: 'act', paths: ['file'] }],
      policy: [ask('act'), workspaceOnly([folder], { cwd: folder })],
      approver,
      ...more,
    });

  it(
    proves('Q01', 'W06')('changed after the answer: it is asked again, showing where the path leads now'),
    async () => {
      const asked: ApprovalRequest[] = [];
      const { call, host, journal } = await pathed((request) => {
        asked.push(request);
        if (asked.length === 1) retarget('precious');
        return asked.length === 1;
      });
      expect(await call('act', { file: 'link/file' })).toMatchObject({ type: 'denied', status: 'refused' });
      expect(asked.map(({ paths }) => paths[0]?.path)).toEqual([
        join(folder, 'harmless/file'),
        join(folder, 'precious/file'),
      ]);
      expect(asked[1]?.shown.text).toContain(`link/file resolves to ${join(folder, 'precious/file')}`);
      expect(host.calls).toEqual([]);
      expect(story({ journal })).toEqual(['decided asked', 'decided approved', 'decided asked', 'decided refused']);
    },
  );

  it(proves('Q01', 'W06')('changed again and again: it ends, and nothing runs'), async () => {
    let turn = 0;
    const { call, host } = await pathed(() => {
      retarget(turn++ % 2 === 0 ? 'precious' : 'harmless');
      return true;
    });
    expect((await call('act', { file: 'link/file' })).type).toBe('denied');
    expect(turn).toBeLessThanOrEqual(8);
    expect(host.calls).toEqual([]);
  });

  it(proves('Q01', 'W05')('moved out of the workspace after the answer: it is denied'), async () => {
    const { call, host } = await pathed(() => (retarget('/etc'), true));
    expect(await call('act', { file: 'link/passwd' })).toMatchObject({
      type: 'denied',
      rule: { name: 'workspace_only' },
    });
    expect(host.calls).toEqual([]);
  });

  it(proves('Q01')('replaced by another file of the same name: it is asked again'), async () => {
    let asked = 0;
    const { call, host } = await pathed(() => {
      const path = join(folder, 'harmless/file');
      if (asked++ === 0) {
        writeFileSync(`${path}.new`, 'another');
        rmSync(path);
        symlinkSync('file.new', path);
      }
      return asked === 1;
    });
    expect((await call('act', { file: 'harmless/file' })).type).toBe('denied');
    expect([asked, host.calls.length]).toEqual([2, 0]);
  });

  it(
    proves('Q01', 'W06')('changed by a hook: what runs is where the path leads at the end, and policy has seen that'),
    async () => {
      const seen: string[] = [];
      const { call, host } = await pathed(({ paths }) => (seen.push(paths[0]?.path ?? ''), true), {
        policy: [allow('act'), workspaceOnly([folder], { cwd: folder })],
        hooks: [preToolCall(() => retarget('precious'), { name: 'swap' })],
      });
      expect((await call('act', { file: 'link/file' })).type).toBe('ok');
      expect(only(host.calls).args).toEqual({ file: join(folder, 'precious/file') });
    },
  );

  it(proves('Q02')('are part of what is remembered: another file behind the same text is asked about'), async () => {
    const { approver, requests: asked } = scriptedApprover([
      { type: 'approve', remember: 'session' },
      { type: 'deny', reason: 'not that one' },
    ]);
    const { call } = await pathed(approver);
    expect((await call('act', { file: 'link/file' })).type).toBe('ok');
    expect((await call('act', { file: 'link/file' })).type).toBe('ok');
    retarget('precious');
    expect(await call('act', { file: 'link/file' })).toMatchObject({ type: 'denied', reason: 'not that one' });
    expect(asked).toHaveLength(2);
  });
});

describe('a remembered answer', () => {
  it(proves('Q02')('for the turn counts in that turn only'), async () => {
    const { approver, assertDone: done } = remembering('turn', [false]);
    const { session, turn, host } = await rig({ policy: ask('act'), approver });
    const request = { tool: 'act', args: { n: 1 } };
    expect((await turn.guard(request, host)).type).toBe('ok');
    expect((await turn.guard(request, host)).type).toBe('ok');
    expect((await session.turn().guard(request, host)).type).toBe('denied');
    done();
  });

  it(proves('Q02', 'Q05')('for the session counts on in it, and each use is a record of its own'), async () => {
    const { approver, requests: asked } = remembering('session');
    const rigged = await rig({ policy: ask('act'), approver });
    const { session, turn, host } = rigged;
    const request = { tool: 'act', args: { n: 1 } };
    await turn.guard(request, host);
    expect((await session.turn().guard(request, host)).type).toBe('ok');
    const { id } = only(asked);
    expect(story(rigged)).toEqual([
      'decided asked',
      'noted remembered',
      'decided approved',
      'settled ok',
      'decided approved',
      'settled ok',
    ]);
    expect(only(entriesOf(rigged, 'noted')).detail).toMatchObject({
      approval: id,
      approved: true,
      by: 'ann',
      for: 'session',
    });
    expect(entriesOf(rigged, 'decided').map(({ approval }) => approval)).toEqual([
      { id },
      { id, by: 'ann' },
      { id, by: 'ann', remembered: true },
    ]);
    expect(eventsOf(rigged, 'tool_approved').map(({ remembered }) => remembered)).toEqual([false, true]);
    expect(eventsOf(rigged, 'tool_asked')).toHaveLength(1);
  });

  it(
    proves('Q02', 'P18')('for a time counts that long, and never longer than the grant lets an approval'),
    async () => {
      const cases: readonly (readonly [RememberDuration, number | undefined, number])[] = [
        [{ ms: 1_000 }, undefined, 1_000],
        [{ ms: 5_000 }, 1_000, 1_000],
        [{ ms: 1_000 }, 5_000, 1_000],
        ['session', 1_000, 1_000],
        ['turn', 1_000, 1_000],
      ];
      for (const [remember, approvalMs, lasts] of cases) {
        const { approver, requests: asked } = remembering(remember, [true]);
        const { call, clock } = await rig({ policy: ask('act', { grant: { approvalMs } }), approver });
        await call('act');
        await clock.advance(lasts - 1);
        await call('act');
        expect(asked).toHaveLength(1);
        await clock.advance(1);
        await call('act');
        expect(asked).toHaveLength(2);
      }
    },
  );

  it(proves('Q01', 'Q02')('that runs out between its use and the run does not count'), async () => {
    const memory = memoryJournal();
    const writing = later<void>();
    let slow = false;
    const { approver } = remembering({ ms: 1_000 });
    const { call, clock, host } = await rig({
      policy: ask('act'),
      approver,
      journal: { append: (entry) => (slow ? writing.promise : undefined) ?? memory.append(entry) },
    });
    await call('act');
    await clock.advance(900);
    slow = true;
    const pending = call('act');
    await clock.advance(200);
    slow = false;
    writing.resolve();
    expect(await pending).toMatchObject({ type: 'denied', status: 'expired' });
    expect(host.calls).toHaveLength(1);
  });

  it(proves('Q02')('is for exactly these args: their order does not matter, anything else does'), async () => {
    const other: readonly unknown[] = [
      { a: 1, b: [1, { c: null }], d: '1' },
      { a: 1, b: [1, { c: null }] },
      { a: 1, b: [{ c: null }, 1], d: 1 },
      { a: 1, b: [1, { c: null, e: 0 }], d: 1 },
      { a: '1', b: [1, { c: null }], d: 1 },
      {},
    ];
    const { approver, requests: asked } = remembering(
      'session',
      other.map(() => false),
    );
    const { call } = await rig({ policy: ask('act'), approver });
    expect((await call('act', { a: 1, b: [1, { c: null }], d: 1 })).type).toBe('ok');
    expect((await call('act', { d: 1, b: [1, { c: null }], a: 1 })).type).toBe('ok');
    expect(asked).toHaveLength(1);
    for (const args of other) expect((await call('act', args)).type).toBe('denied');
    expect(asked).toHaveLength(1 + other.length);
  });

  it(proves('Q02')('covers nothing but the args it was given for, for any two sets of args'), async () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const args = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(args, args, async (one, two) => {
        const { approver, requests: asked } = remembering('session', [false]);
        const { call } = await rig({ policy: ask('act'), approver });
        if ((await call('act', one)).type !== 'ok') return;
        const same = canonical(one) === canonical(two);
        const result = await call('act', two);
        if (result.type === 'invalid') return;
        expect([result.type, asked.length]).toEqual(same ? ['ok', 1] : ['denied', 2]);
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('Q01', 'Q02')('does not cross to another tool, server, session, agent, folder or policy'), async () => {
    const tools = [{ name: 'act' }, { name: 'act2' }, { name: 'act', server: 's' }, { name: 'act', server: 't' }];
    const servers = [{ name: 's' }, { name: 't' }];
    const base: SessionOptions = { id: 'same', agent: ['main'], cwd: '/a' };
    const policy = ask('*', { reason: 'Sure?' });
    const place: readonly (readonly [string, SessionOptions, string, string | undefined, GuardOptions['policy']])[] = [
      ['another tool', base, 'act2', undefined, policy],
      ['a server', base, 'act', 's', policy],
      ['another session of the same name', base, 'act', undefined, policy],
      ['another session', { ...base, id: 'other' }, 'act', undefined, policy],
      ['another agent', { ...base, agent: ['main', 'sub'] }, 'act', undefined, policy],
      ['another folder', { ...base, cwd: '/b' }, 'act', undefined, policy],
      ['another policy', base, 'act', undefined, [policy, deny('act2')]],
    ];
    for (const [name, start, tool, server, rules] of place) {
      const { approver, requests: asked } = remembering('session', [false]);
      const common = { tools, servers, approver };
      const first = await rig({ ...common, policy, start: base });
      expect((await first.call('act', { n: 1 })).type).toBe('ok');
      const sameSession = name === 'another tool' || name === 'a server';
      const second = sameSession ? first : await rig({ ...common, policy: rules, start });
      expect([name, (await second.call(tool, { n: 1 }, server)).type]).toEqual([name, 'denied']);
      expect(asked).toHaveLength(2);
    }
  });

  it(proves('Q02')('is for the question it was given to: another one about the same call is asked'), async () => {
    let question = 'Delete 1 file?';
    const { approver, requests: asked } = remembering('session', [false]);
    const { call } = await rig({ hooks: [preToolCall(() => confirm(question), { name: 'count' })], approver });
    expect((await call('act')).type).toBe('ok');
    expect((await call('act')).type).toBe('ok');
    question = 'Delete 10000 files?';
    expect((await call('act')).type).toBe('denied');
    expect(asked).toHaveLength(2);
  });

  it(proves('Q02')('never beats a deny or a forbid'), async () => {
    for (const rule of [deny, forbid]) {
      let closed = false;
      const { approver } = remembering('session');
      const { call, host } = await rig({
        policy: [ask('act'), rule('act', { when: () => closed, reason: 'closed' })],
        approver,
      });
      expect((await call('act')).type).toBe('ok');
      closed = true;
      expect(await call('act')).toMatchObject({ type: 'denied', status: 'denied', reason: 'closed' });
      expect(host.calls).toHaveLength(1);
    }
  });

  it(proves('Q02', 'G03')('never beats a hook that refuses, nor answers a hook it was not given for'), async () => {
    let mood: 'calm' | 'asks' | 'refuses' = 'calm';
    const moody = preToolCall(
      () => (mood === 'calm' ? undefined : mood === 'asks' ? confirm('Really?') : reject('no')),
      { name: 'moody' },
    );
    const { approver, requests: asked } = remembering('session', [false]);
    const { call } = await rig({ policy: ask('act'), hooks: [moody], approver });
    expect((await call('act')).type).toBe('ok');
    mood = 'refuses';
    expect(await call('act')).toMatchObject({ type: 'denied', hook: 'moody' });
    mood = 'asks';
    expect(await call('act')).toMatchObject({ type: 'denied', status: 'refused' });
    expect(asked).toHaveLength(2);
    mood = 'calm';
    expect((await call('act')).type).toBe('ok');
  });

  it(proves('Q02')('can be a denial: the call is not asked about again, and the reason is given'), async () => {
    const { approver, assertDone: done } = scriptedApprover([
      { type: 'deny', by: 'ann', reason: 'never that', remember: 'session' },
    ]);
    const rigged = await rig({ policy: ask('act'), approver });
    for (let i = 0; i < 3; i++) {
      expect(await rigged.call('act', { n: 1 })).toMatchObject({
        type: 'denied',
        status: 'refused',
        reason: 'never that',
      });
    }
    done();
    expect(rigged.host.calls).toEqual([]);
    expect(entriesOf(rigged, 'decided').map(({ status, approval }) => [status, approval?.remembered])).toEqual([
      ['asked', undefined],
      ['refused', undefined],
      ['refused', true],
      ['refused', true],
    ]);
    expect(eventsOf(rigged, 'tool_denied')).toHaveLength(3);
  });

  it(proves('Q02')('is not created from an answer that edits: the edited args were never requested'), async () => {
    const { approver, requests: asked } = scriptedApprover([
      { type: 'approve', args: { n: 2 }, remember: 'session' },
      false,
      false,
    ]);
    const rigged = await rig({ policy: ask('act'), approver });
    expect((await rigged.call('act', { n: 1 })).type).toBe('ok');
    expect((await rigged.call('act', { n: 1 })).type).toBe('denied');
    expect((await rigged.call('act', { n: 2 })).type).toBe('denied');
    expect(asked).toHaveLength(3);
    expect(entriesOf(rigged, 'noted')).toEqual([]);
  });

  it(proves('Q02')('is created from an answer that repeats the args unchanged'), async () => {
    const { approver, requests: asked } = scriptedApprover([
      { type: 'approve', args: { b: 2, a: 1 }, remember: 'session' },
    ]);
    const rigged = await rig({ policy: ask('act'), approver });
    expect((await rigged.call('act', { a: 1, b: 2 })).type).toBe('ok');
    expect((await rigged.call('act', { a: 1, b: 2 })).type).toBe('ok');
    expect(asked).toHaveLength(1);
    expect(entriesOf(rigged, 'decided')[1]?.approval).not.toHaveProperty('edited');
  });

  it(proves('Q02', 'G05')('of a handler answers its rule, not the question of the approver'), async () => {
    const handler = remembering('session');
    const general = scriptedApprover([true, false]);
    const { call } = await rig({
      policy: ask('act', { handler: handler.approver }),
      hooks: [wants('hook')],
      approver: general.approver,
    });
    expect((await call('act')).type).toBe('ok');
    expect((await call('act')).type).toBe('denied');
    handler.assertDone();
    general.assertDone();
  });

  it(proves('Q02', 'G05')('of one rule is not that of another with the same name and words'), async () => {
    let first = true;
    const one = remembering('session');
    const two = scriptedApprover([false]);
    const { call } = await rig({
      policy: [ask('act', { when: () => first, handler: one.approver }), ask('act', { handler: two.approver })],
      // The handlers share its memory.
      approver: () => false,
    });
    expect((await call('act')).type).toBe('ok');
    first = false;
    expect((await call('act')).type).toBe('denied');
    two.assertDone();
  });

  it(proves('Q02', 'G10')('is used only if the use can be recorded'), async () => {
    const memory = memoryJournal();
    let full = false;
    const { approver } = remembering('session');
    const { call, host } = await rig({
      policy: ask('act'),
      approver,
      journal: {
        append(entry) {
          if (full) throw new RangeError('disk full');
          memory.append(entry);
        },
      },
    });
    await call('act');
    full = true;
    expect(await call('act')).toMatchObject({ type: 'denied', reason: expect.stringContaining('disk full') });
    expect(host.calls).toHaveLength(1);
  });
});

function canonical(value: unknown): string {
  const sort = (each: unknown): unknown =>
    Array.isArray(each)
      ? each.map(sort)
      : typeof each === 'object' && each !== null
        ? Object.fromEntries(
            Object.entries(each)
              .toSorted(([a], [b]) => (a < b ? -1 : 1))
              .map(([k, v]) => [k, sort(v)]),
          )
        : each === 0
          ? 0
          : each;
  return JSON.stringify(sort(value));
}

describe('an answer that is not remembered', () => {
  it(proves('Q02')('leaves nothing: allow all, ask one, and the next call asks'), async () => {
    const { approver, requests: asked } = scriptedApprover([true, true]);
    const { call } = await rig({ policy: [allowAll(), ask('act')], approver });
    await call('act');
    await call('look');
    await call('act');
    expect(asked).toHaveLength(2);
  });
});

describe('an answer that is to be remembered', () => {
  it(proves('Q02')('counts once and warns, if the approver remembers nothing'), async () => {
    const warnings: string[] = [];
    const { approver, requests } = scriptedApprover([
      { type: 'approve', remember: 'session' },
      { type: 'approve', remember: 'session' },
    ]);
    const guard = createGuard({
      tools: [{ name: 'act' }],
      policy: ask('act'),
      approver,
      onWarning: (warning) => warnings.push(warning),
    });
    await guard.call('act', {}, () => 1);
    await guard.call('act', {}, () => 1);
    expect(requests).toHaveLength(2);
    expect(new Set(warnings)).toEqual(
      new Set([
        'an approver answered `remember`, which has no effect: wrap it in `rememberAnswers` from bridle/policy-files',
      ]),
    );
    await guard.end();
  });
});
