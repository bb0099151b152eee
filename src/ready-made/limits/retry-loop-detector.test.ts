import { allow, allowAll, denyAll, preToolCall, replace } from 'bridle';
import { retryLoopDetector } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { rig } from '../../../test/rigs/guard-rig.ts';
import { SubagentSession } from '../../agent/turn/subagents.ts';
import { testCall, tryHooks } from 'bridle/testing';

const loop = (tool: string, times: number) =>
  `Retry loop detected: ${tool} called ${times} times this turn. Breaking loop.`;

describe('retryLoopDetector', () => {
  it(
    proves('E06')('refuses calls beyond the limit, and reports a loop if the last ones all used one tool'),
    async () => {
      const { call, turn, host, session } = await rig({ hooks: [retryLoopDetector({ maxCalls: 3 })] });
      for (let n = 0; n < 3; n++) expect(await call('act', { n })).toMatchObject({ type: 'ok' });
      expect(await call('act')).toMatchObject({ type: 'denied', reason: loop('act', 4), hook: 'retry-loop-detector' });
      expect(await call('look')).toMatchObject({ type: 'denied', reason: 'Tool call limit (3/turn) exceeded.' });
      for (let n = 0; n < 3; n++) await call('act');
      expect(await call('act')).toMatchObject({ reason: 'Tool call limit (3/turn) exceeded.' });
      expect(await call('act')).toMatchObject({ reason: loop('act', 9) });
      expect(turn.number).toBe(1);
      expect(await session.turn().guard({ tool: 'act' }, host), 'a new turn').toMatchObject({ type: 'ok' });
      expect(host.calls).toHaveLength(4);
    },
  );

  it(proves('E06')('counts calls that policy denies, and tools that do not exist'), async () => {
    const { call } = await rig({
      hooks: [retryLoopDetector({ maxCalls: 3 })],
      policy: [allow('look'), denyAll()],
    });
    await call('act');
    await call('__proto__');
    await call(`\ud800${'x'.repeat(1000)}`);
    expect(await call('look')).toMatchObject({ type: 'denied', reason: 'Tool call limit (3/turn) exceeded.' });
  });

  it(proves('E06')('detects the same call in a row, including arguments and server'), async () => {
    const { call } = await rig({ hooks: [retryLoopDetector({ maxCalls: 100, sameInARow: 2 })] });
    const args = { path: 'a' };
    expect(await call('act', args)).toMatchObject({ type: 'ok' });
    expect(await call('act', args)).toMatchObject({ type: 'ok' });
    expect(await call('act', args)).toMatchObject({ type: 'denied', reason: loop('act', 3) });
    expect(await call('act', { path: 'b' })).toMatchObject({ type: 'ok' });
    expect(await call('act', args)).toMatchObject({ type: 'ok' });
  });

  it(proves('E06')('does not treat two calls with very large arguments as the same'), async () => {
    const { call } = await rig({ hooks: [retryLoopDetector({ maxCalls: 100, sameInARow: 1 })] });
    const large = 'x'.repeat(100_000);
    expect(await call('act', { large, n: 1 })).toMatchObject({ type: 'ok' });
    expect(await call('act', { large, n: 2 })).toMatchObject({ type: 'ok' });
  });

  it(proves('E06', 'S04')('allows exactly the limit under concurrent calls'), async () => {
    const slow = allowAll({ when: async () => Promise.resolve(true) });
    const { call, host } = await rig({ hooks: [retryLoopDetector({ maxCalls: 10 })], policy: [slow] });
    await Promise.all(Array.from({ length: 200 }, (_, n) => call('look', { n })));
    expect(host.calls).toHaveLength(10);
  });

  it(proves('E06', 'S06')('counts each session separately'), async () => {
    const hooks = [retryLoopDetector({ maxCalls: 1 })];
    const [first, second] = [await rig({ hooks }), await rig({ hooks })];
    await first.call('act');
    expect(await second.call('act')).toMatchObject({ type: 'ok' });
    expect(await first.call('act')).toMatchObject({ type: 'denied' });
  });

  it(proves('E06')('counts calls of subagents toward the turn that started them'), async () => {
    const hooks = [retryLoopDetector({ maxCalls: 5 })];
    const { call, session, host } = await rig({ hooks });
    const branch = (name: string) =>
      SubagentSession.of(session, { name, loopName: 'own', layer: undefined, hides: () => false });
    await call('act');
    for (const name of ['x', 'y', 'x', 'y', 'x']) await branch(name).turn('subagent').guard({ tool: 'act' }, host);
    expect(host.calls).toHaveLength(5);
    expect(await call('look')).toMatchObject({ type: 'denied' });
    expect(await session.turn().guard({ tool: 'act' }, host)).toMatchObject({ type: 'ok' });
  });

  it(proves('E06')('counts in the session of a subagent'), async () => {
    const { call, session, host } = await rig({
      hooks: [retryLoopDetector({ maxCalls: 1 })],
      start: { agent: ['main', 'x'] },
    });
    await call('act');
    expect(await call('act')).toMatchObject({ type: 'denied' });
    expect(await session.turn().guard({ tool: 'act' }, host)).toMatchObject({ type: 'ok' });
  });

  it(proves('E06', 'H04')('cannot be bypassed with replaced arguments, and counts without events'), async () => {
    const other = preToolCall(() => replace({ n: 1 }), { name: 'other', priority: 5 });
    const { call } = await rig({ hooks: [retryLoopDetector({ maxCalls: 1 }), other] });
    await call('act');
    expect(await call('act')).toMatchObject({ type: 'denied' });
    const payload = { call: testCall({ tool: 'act' }), grant: {} };
    const calls = { turn: 1, depth: 0, count: 1, recent: ['act'], byTool: { '/act': 1 }, last: '', inARow: 1 };
    const state = { 'bridle:retry-loop-detector:calls': calls };
    expect(await tryHooks([retryLoopDetector({ maxCalls: 1 })], 'preToolCall', { payload, state })).toMatchObject({
      type: 'rejected',
      reason: loop('act', 2),
    });
  });

  it(proves('E06')('does not store unlimited made-up names'), async () => {
    const { call, events } = await rig({ hooks: [retryLoopDetector({ maxCalls: 2 })] });
    for (let n = 0; n < 3000; n++) await call(`${'y'.repeat(240)}${n}`);
    expect(await call('act')).toMatchObject({ type: 'denied', reason: 'Tool call limit (2/turn) exceeded.' });
    expect(events.filter(({ type }) => type === 'hook_failed')).toEqual([]);
  });

  it.each([[{}], [{ maxCalls: 0 }], [{ maxCalls: 2, sameInARow: 0 }], [{ maxCalls: 2, sameInRow: 1 }]])(
    proves('E06')('refuses invalid options: %j'),
    (options) => {
      expect(() => retryLoopDetector(options as never)).toThrow('retryLoopDetector');
    },
  );
});
