/** The testing kit for hooks and policies: it follows its script and fails on anything unexpected. */

import {
  allowAll,
  allow,
  ask,
  BridleError,
  compilePolicy,
  confirm,
  createGuard,
  deny,
  stateKey,
  onToolError,
  postToolCall,
  preToolCall,
  recover,
  reject,
  transform,
} from 'bridle';
import {
  expectDecisions,
  fakeClock,
  memoryJournal,
  scriptedApprover,
  scriptedHost,
  testCall,
  tryHooks,
} from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { rig } from '../../test/rigs/guard-rig.ts';

const call = testCall({ tool: 'act', args: { n: 1 } });

const plus = (name: string, priority: number) =>
  preToolCall(({ call: { args } }) => transform({ n: Number(args['n']) * 10 + priority }), { name, priority });

describe('tryHooks', () => {
  it(proves('H02', 'H04')('runs the hooks of one point in order and returns the result'), async () => {
    const payload = { call, grant: {} };
    expect(await tryHooks([plus('b', 2), plus('a', 1)], 'preToolCall', { payload })).toMatchObject({
      type: 'passed',
      payload: { call: { args: { n: 112 } } },
    });
    expect(await tryHooks([preToolCall(() => reject('no'), { name: 'no' })], 'preToolCall', { payload })).toEqual({
      type: 'rejected',
      reason: 'no',
      hook: 'no',
    });
    expect(
      await tryHooks([preToolCall(() => confirm('ok?'), { name: 'c' })], 'preToolCall', { payload }),
    ).toMatchObject({
      type: 'passed',
      confirms: [{ question: 'ok?', hook: 'c' }],
    });
    expect(await tryHooks([], 'preToolCall', { payload })).toMatchObject({ type: 'passed', payload: undefined });
  });

  it(proves('S01', 'S03')('gives hooks the scopes of a tool call, and the state it was given'), async () => {
    const user = stateKey('user', 'nobody');
    const seen: unknown[] = [];
    const hook = postToolCall(
      (_payload, ctx) => {
        ctx.operation.set('mine', 1);
        seen.push(ctx.get(user), ctx.session.get('user'), ctx.turn.hasParent, ctx.depth, ctx.get('mine'));
      },
      { name: 'look' },
    );
    const payload = { call, outcome: { type: 'ok', error: undefined }, result: 'x', elapsedMs: 1 } as const;
    await tryHooks([hook], 'postToolCall', { payload, state: { user: 'ann' } });
    await tryHooks([hook], 'postToolCall', { payload });
    expect(seen).toEqual(['ann', 'ann', true, 0, 1, 'nobody', undefined, true, 0, 1]);
  });

  it(proves('H08')('applies timeouts with the given clock'), async () => {
    const clock = fakeClock();
    const hang = preToolCall(() => new Promise<undefined>(() => {}), { name: 'hang', timeoutMs: 200 });
    const trying = tryHooks([hang], 'preToolCall', { payload: { call, grant: {} }, clock });
    await clock.advance(400);
    expect(await trying).toMatchObject({ type: 'rejected', hook: 'hang' });
  });

  it(proves('H10')('refuses a value that is not a hook'), async () => {
    const wrong = { name: 'x', preToolcall: () => undefined };
    await expect(tryHooks([wrong as never], 'preToolCall', { payload: { call, grant: {} } })).rejects.toThrow(
      BridleError,
    );
  });

  it(proves('G08')('returns the first answer at a point where the first one wins'), async () => {
    const error = { message: 'bad', tool: 'act', server: undefined, callId: 'c1', step: 1, cause: undefined };
    const hooks = [onToolError(() => recover(1), { name: 'one' }), onToolError(() => recover(2), { name: 'two' })];
    expect(await tryHooks(hooks, 'onToolError', { payload: { call, error } })).toEqual({
      type: 'answered',
      action: { type: 'recover', value: 1 },
      hook: 'one',
    });
  });
});

describe('expectDecisions', () => {
  const policy = compilePolicy([
    allow('read'),
    ask('write', { handler: () => true }),
    deny('*', { reason: 'not listed' }),
  ]);

  it(proves('P01', 'P12')('passes when every call is decided as expected'), async () => {
    await expect(
      expectDecisions(policy, [
        [{ tool: 'read' }, 'allow'],
        [{ tool: 'write', args: { n: 1 } }, 'ask'],
        [{ tool: 'other' }, 'deny'],
      ]),
    ).resolves.toBeUndefined();
    await expect(expectDecisions(policy, [])).resolves.toBeUndefined();
  });

  it(proves('P01', 'P12')('fails with one error that lists every other call'), async () => {
    const failing = expectDecisions(policy, [
      [{ tool: 'read' }, 'deny'],
      [{ tool: 'write' }, 'ask'],
      [{ tool: 'other', args: { n: 1 } }, 'allow'],
    ]);
    const error: unknown = await failing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BridleError);
    expect((error as BridleError).code).toBe('SCRIPT_FAILED');
    expect((error as BridleError).problems).toEqual([
      'read {}: allow by rule "allow read", expected deny',
      'other {"n":1}: deny by rule "deny *", expected allow (not listed)',
    ]);
  });
});

describe('scriptedHost', () => {
  it(proves('G06', 'G01')('answers from its table: values, functions, errors; and lists what ran'), async () => {
    const { call: guarded, host } = await rig({
      tools: ['value', 'nothing', 'made', 'failed'].map((name) => ({ name })),
      does: {
        value: { n: 1 },
        nothing: undefined,
        made: ({ args }: { args: unknown }) => args,
        failed: new TypeError('as written'),
      },
    });
    expect(await guarded('value')).toMatchObject({ type: 'ok', value: { n: 1 } });
    expect(await guarded('nothing')).toMatchObject({ type: 'ok', value: null });
    expect(await guarded('made', { a: 1 })).toMatchObject({ type: 'ok', value: { a: 1 } });
    expect(await guarded('failed')).toMatchObject({ type: 'error', text: 'as written' });
    expect(host.calls.map(({ tool }) => tool)).toEqual(['value', 'nothing', 'made', 'failed']);
  });

  it(proves('G11')('fails on a tool that is not in its table, own names only'), async () => {
    const guard = createGuard({
      tools: [{ name: 'act' }, { name: 'toString' }, { name: 'act', server: 's' }],
      servers: [{ name: 's' }],
      policy: allowAll(),
    });
    const turn = (await guard.start()).turn();
    const host = scriptedHost({ 's/act': 'server', act: 'local' });
    expect((await turn.guard({ tool: 'act', server: 's' }, host)).text).toBe('server');
    expect((await turn.guard({ tool: 'act' }, host)).text).toBe('local');
    expect(await turn.guard({ tool: 'toString' }, host)).toMatchObject({
      type: 'error',
      text: 'the script has no tool "toString"',
    });
    expect(host.calls).toHaveLength(2);
  });
});

describe('scriptedApprover', () => {
  it(proves('P10', 'Q01')('gives its answers in order, and records the requests'), async () => {
    const { approver, requests: asked, assertDone: done } = scriptedApprover([true, { type: 'deny', reason: 'no' }]);
    const { call: guarded } = await rig({ policy: ask('act'), approver });
    expect((await guarded('act', { n: 1 })).type).toBe('ok');
    expect(await guarded('act', { n: 2 })).toMatchObject({ type: 'denied', reason: 'no' });
    expect(asked.map((request) => request.call.args)).toEqual([{ n: 1 }, { n: 2 }]);
    done();
  });

  it(proves('P10')('fails if there are too few or too many requests'), async () => {
    const unasked = scriptedApprover([true, false]);
    expect(() => unasked.assertDone()).toThrow('2 of 2 scripted answers were not used');
    const overasked = scriptedApprover([true]);
    const { call: guarded, host } = await rig({ policy: ask('act'), approver: overasked.approver });
    await guarded('act');
    expect(await guarded('act')).toMatchObject({
      type: 'denied',
      text: expect.stringContaining('unexpected approval request 2 (act)'),
    });
    expect(host.calls).toHaveLength(1);
    expect(() => overasked.assertDone()).toThrow('there were 1 more approval requests than scripted answers');
  });
});

describe('fakeClock', () => {
  it(proves('H08')('is stopped until it is advanced, and fires timers in order'), async () => {
    const clock = fakeClock();
    expect([clock.now(), clock.wall()]).toEqual([0, Date.UTC(2026, 0, 1)]);
    const ticked: string[] = [];
    const stop = clock.every(100, () => ticked.push(`a${clock.now()}`));
    clock.every(150, () => ticked.push(`b${clock.now()}`));
    await clock.advance(99);
    expect(ticked).toEqual([]);
    await clock.advance(201);
    expect(ticked).toEqual(['a100', 'b150', 'a200', 'a300', 'b300']);
    stop();
    await clock.advance(100);
    expect(ticked.filter((tick) => tick.startsWith('a'))).toHaveLength(3);
    expect([clock.now(), clock.wall()]).toEqual([400, Date.UTC(2026, 0, 1) + 400]);
  });

  it(proves('H08')('lets pending promises continue before and after it advances'), async () => {
    const clock = fakeClock();
    const order: string[] = [];
    void Promise.resolve().then(() => {
      order.push('before');
      clock.every(50, () => order.push(`tick ${clock.now()}`));
    });
    await clock.advance(50);
    order.push('after');
    expect(order).toEqual(['before', 'tick 50', 'after']);
  });
});

describe('memoryJournal', () => {
  it(proves('Q05')('is the journal of bridle/journal, with its hash chain'), async () => {
    const journal = memoryJournal();
    const { call: guarded } = await rig({ journal });
    await guarded('act');
    expect(journal.entries().map(({ status }) => status)).toEqual(['allowed', 'ok']);
    expect(journal.head).toBe(journal.records.at(-1)?.hash);
  });
});

describe('expectDecisions', () => {
  it(proves('G11')('does not count a misspelled tool or invalid arguments as a deny'), async () => {
    const policy = compilePolicy([deny('act')], { tools: [{ name: 'act' }] });
    await expectDecisions(policy, [
      [{ tool: 'act' }, 'deny'],
      [{ tool: 'atc' }, 'invalid'],
      [{ tool: 'act', args: [] }, 'invalid'],
    ]);
    await expect(expectDecisions(policy, [[{ tool: 'atc' }, 'deny']])).rejects.toThrow(
      'atc {}: invalid, expected deny',
    );
    const rules = [deny('act')] as unknown as typeof policy;
    await expect(expectDecisions(rules, [])).rejects.toThrow('pass a compiled policy');
  });
});
