/** Hooks that run beside the work. */

import { allowAll, createGuard, type Hook, type PointName, pointNames, reject, transform } from 'bridle';
import { fakeClock, memoryJournal, testActivity } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { hang, isPending, sleep } from '../../../../test/rigs/blocking-clock.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';

const tools = [{ name: 'write' }];
const gates: readonly PointName[] = ['onSessionStart', 'preTurn', 'preLlmCall', 'postLlmCall', 'preToolCall'];
const open = pointNames.filter((point) => !gates.includes(point) && point !== 'onEvent');

describe('a detached hook', () => {
  it.each(gates)(proves('H16', 'H10')('cannot have a method for the gate %s'), (point) => {
    const hook = { name: 'beside', detached: true, [point]: () => undefined };
    expect(() => createGuard({ tools, policy: [], hooks: [hook] })).toThrow(
      expect.objectContaining({ code: 'HOOK_OPTION_INVALID', message: expect.stringContaining(point) as unknown }),
    );
  });

  it.each(open)(proves('H16')('at %s is called once, and the dispatch does not wait for it'), async (point) => {
    let calls = 0;
    const beside: Hook = {
      name: 'beside',
      detached: true,
      [point]: () => {
        calls++;
        return hang();
      },
    };
    const clock = fakeClock();
    const activity = testActivity([beside], { clock });
    expect(await activity.dispatch(point, samplePayloads[point])).toMatchObject({ type: 'passed', payload: undefined });
    await clock.advance(0);
    expect(calls).toBe(1);
  });

  it(proves('H16')('sees the result of the others, and is called only after the caller continues'), async () => {
    const log: unknown[] = [];
    const hooks: Hook[] = [
      { name: 'beside', detached: true, priority: 1000, postToolCall: ({ result }) => void log.push(result) },
      { name: 'redact', postToolCall: () => transform('redacted') },
    ];
    const activity = testActivity(hooks);
    const result = activity.dispatch('postToolCall', samplePayloads.postToolCall);
    log.push('dispatched');
    expect(await result).toMatchObject({ payload: { result: 'redacted' } });
    expect(log).toEqual(['dispatched', 'redacted']);
  });

  it(proves('H16', 'H07')('cannot answer, and its failure disturbs nothing'), async () => {
    const journal = memoryJournal();
    const hooks: Hook[] = [
      { name: 'answers', detached: true, postToolCall: () => transform('mine') },
      {
        name: 'throws',
        detached: true,
        postToolCall: () => {
          throw new RangeError('broke');
        },
      },
      { name: 'rejects', detached: true, postToolCall: () => Promise.reject(new RangeError('broke')) },
      { name: 'objects', detached: true, preCompaction: () => reject('no') },
    ];
    const session = await createGuard({ tools, policy: allowAll(), hooks, journal }).start();
    const turn = session.turn();
    expect(await turn.guard({ tool: 'write' }, { run: () => 'raw' })).toMatchObject({ type: 'ok', text: 'raw' });
    expect(await turn.dispatch('preCompaction', samplePayloads.preCompaction)).toMatchObject({ type: 'passed' });
    await session.end();
    const noted = journal.entries().flatMap((entry) => (entry.kind === 'noted' ? [entry.detail] : []));
    expect(noted).toHaveLength(4);
    expect(noted).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ hook: 'answers', kind: 'malformed' }),
        expect.objectContaining({ hook: 'throws', kind: 'threw' }),
        expect.objectContaining({ hook: 'rejects', kind: 'threw' }),
        expect.objectContaining({ hook: 'objects', kind: 'malformed' }),
      ]) as object,
    );
  });

  it(proves('H16')('is waited for by the end of the session'), async () => {
    const clock = fakeClock();
    const done: string[] = [];
    const slow = (name: string, ms: number): Hook => ({
      name,
      detached: true,
      postToolCall: async () => {
        await sleep(clock, ms);
        done.push(name);
      },
      onSessionEnd: async () => {
        await sleep(clock, ms);
        done.push(`${name} at the end`);
      },
    });
    const hooks = [slow('a', 500), slow('b', 1000)];
    const session = await createGuard({ tools, policy: allowAll(), hooks, clock }).start();
    expect(await session.turn().guard({ tool: 'write' }, { run: () => 'raw' })).toMatchObject({ type: 'ok' });
    expect(done).toEqual([]);
    const ended = session.end();
    await clock.advance(900);
    expect(await isPending(ended)).toBe(true);
    await clock.advance(200);
    expect(await isPending(ended)).toBe(false);
    expect(done).toEqual(['a', 'a at the end', 'b', 'b at the end']);
  });

  it(proves('H16', 'H08')('that hangs is waited for up to its limit'), async () => {
    const clock = fakeClock();
    const journal = memoryJournal();
    const stuck: Hook = { name: 'stuck', detached: true, timeoutMs: 2000, postToolCall: hang };
    const session = await createGuard({ tools, policy: allowAll(), hooks: [stuck], clock, journal }).start();
    await session.turn().guard({ tool: 'write' }, { run: () => 'raw' });
    const ended = session.end();
    await clock.advance(1999);
    expect(await isPending(ended)).toBe(true);
    await clock.advance(101);
    expect(await isPending(ended)).toBe(false);
    const noted = journal.entries().flatMap((entry) => (entry.kind === 'noted' ? [entry.detail] : []));
    expect(noted).toMatchObject([{ hook: 'stuck', kind: 'timeout', point: 'postToolCall' }]);
  });
});
