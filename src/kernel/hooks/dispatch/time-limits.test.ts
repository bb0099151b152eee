/** Time limits of hooks that wait: what hangs is left behind, and what comes late is only reported. */

import { allowAll, type BridleEvent, createGuard, type Hook, reject, replace, transform } from 'bridle';
import { systemClock } from '../../clock.ts';
import { fakeClock, memoryJournal, testActivity } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { blockingClock, hang, isPending } from '../../../../test/rigs/blocking-clock.ts';
import { runNode } from '../../../../test/rigs/child.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';
import { root } from '../../../../test/source.ts';

const { preTurn, postToolCall } = samplePayloads;

function failuresOf(events: readonly BridleEvent[]): unknown[] {
  return events.flatMap((event) =>
    event.type === 'hook_failed' ? [{ hook: event.hook, kind: event.kind, message: event.message }] : [],
  );
}

describe('a hook that hangs', () => {
  it.each([
    { which: 'the default', limitMs: 5000 },
    { which: 'that of the guard', timeoutMs: 700, limitMs: 700 },
    { which: 'its own', timeoutMs: 700, own: 90, limitMs: 90 },
  ])(proves('H08', 'H06')('is left behind at its limit: $which'), async ({ timeoutMs, own, limitMs }) => {
    const clock = fakeClock();
    const hooks: Hook[] = [{ name: 'stuck', timeoutMs: own, preTurn: hang }];
    const session = await createGuard({ tools: [], policy: [], hooks, clock, timeoutMs }).start();
    const entering = session.turn().enter('hi');
    await clock.advance(limitMs - 1);
    expect(await isPending(entering)).toBe(true);
    await clock.advance(101);
    expect(await isPending(entering)).toBe(false);
    expect(await entering).toEqual({
      type: 'rejected',
      hook: 'stuck',
      reason:
        `Hook "stuck" failed at preTurn: did not answer within ${limitMs} ms; to wait for a person, use ` +
        '`ctx.ask(questions)`, which the limit does not count; for slow work, set `timeoutMs`',
    });
  });

  it(proves('H08')('does not keep the others from running, each with a limit of its own'), async () => {
    const clock = fakeClock();
    const called: string[] = [];
    const slow = (name: string): Hook => ({
      name,
      timeoutMs: 100,
      postToolCall: () => {
        called.push(name);
        return hang();
      },
    });
    const last: Hook = { name: 'last', priority: 1, postToolCall: ({ result }) => transform([result]) };
    const activity = testActivity([last, slow('a'), slow('b')], { clock });
    const result = Promise.resolve(activity.dispatch('postToolCall', postToolCall));
    await clock.advance(400);
    expect(called).toEqual(['b', 'a']);
    expect(await result).toMatchObject({ type: 'passed', payload: { result: ['raw'] } });
  });

  it(proves('H08', 'H04')('does not undo what those before it said'), async () => {
    const clock = fakeClock();
    const called: string[] = [];
    const hooks: Hook[] = [
      { name: 'replacer', preToolCall: () => replace({ path: 'b' }) },
      { name: 'stuck', timeoutMs: 100, failOpen: true, gate: true, preToolCall: hang },
      { name: 'plain', preToolCall: () => void called.push('plain') },
      { name: 'gate', gate: true, preToolCall: ({ call }) => void called.push(JSON.stringify(call.args)) },
    ];
    const result = Promise.resolve(testActivity(hooks, { clock }).dispatch('preToolCall', samplePayloads.preToolCall));
    await clock.advance(200);
    expect(await result).toMatchObject({ type: 'passed', payload: { call: { args: { path: 'b' } } } });
    expect(called).toEqual(['{"path":"b"}']);
  });

  it(proves('H08')('that blocked after an await has its late answer ignored, from the first call on'), async () => {
    const clock = blockingClock();
    const called: string[] = [];
    const hooks: Hook[] = [
      {
        name: 'slow',
        timeoutMs: 200,
        failOpen: true,
        preToolCall: async () => {
          await Promise.resolve();
          clock.block(500);
          return replace({ path: 'b' });
        },
      },
      { name: 'plain', timeoutMs: 200, failOpen: true, preToolCall: ({ call }) => void called.push(call.id) },
    ];
    const activity = testActivity(hooks, { clock });
    for (let round = 1; round <= 3; round++) {
      const result = await activity.dispatch('preToolCall', samplePayloads.preToolCall);
      expect(result).toMatchObject({ type: 'passed', payload: undefined });
      expect(called).toHaveLength(round);
    }
  });

  it(proves('H08')('has its late answer ignored and reported'), async () => {
    const clock = fakeClock();
    const journal = memoryJournal();
    const events: BridleEvent[] = [];
    const settle: ((value: ReturnType<typeof reject> | Promise<never>) => void)[] = [];
    const late = (name: string): Hook => ({
      name,
      failOpen: true,
      timeoutMs: 100,
      preToolCall: () => new Promise((resolve) => settle.push(resolve)),
    });
    const hooks: Hook[] = [
      late('rejecter'),
      late('thrower'),
      { name: 'watcher', onEvent: (event) => void events.push(event) },
    ];
    const guard = createGuard({ tools: [{ name: 'write' }], policy: allowAll(), hooks, clock, journal });
    const session = await guard.start();
    const result = session.turn().guard({ tool: 'write' }, { run: () => 'ran' });
    await clock.advance(200);
    await clock.advance(200);
    expect(await result).toMatchObject({ type: 'ok', text: 'ran' });
    settle[0]?.(reject('too late'));
    settle[1]?.(Promise.reject(new RangeError('late and broken')));
    await clock.advance(0);
    const atLimit = expect.stringMatching(/^did not answer within 100 ms; .*`confirm\(question\)`/) as string;
    const expected = [
      { hook: 'rejecter', kind: 'timeout', message: atLimit },
      { hook: 'thrower', kind: 'timeout', message: atLimit },
      { hook: 'rejecter', kind: 'late', message: 'answered after its time limit; ignored' },
      { hook: 'thrower', kind: 'late', message: 'failed: late and broken after its time limit; ignored' },
    ];
    expect(failuresOf(events)).toEqual(expected);
    const notes = journal.entries().filter(({ kind }) => kind === 'noted');
    expect(notes).toMatchObject(expected.map((detail) => ({ status: 'hook_failed', detail })));
  });

  it(proves('H08')('ends with the real clock too, soon after its limit'), async () => {
    const started = performance.now();
    const session = await createGuard({
      tools: [],
      policy: [],
      hooks: [{ name: 'stuck', timeoutMs: 100, preTurn: hang }],
    }).start();
    expect(await session.turn().enter('hi')).toMatchObject({ type: 'rejected', hook: 'stuck' });
    const tookMs = performance.now() - started;
    expect(tookMs).toBeGreaterThanOrEqual(100);
    expect(tookMs).toBeLessThan(2000);
  });

  it(proves('H08')('leaves no ticker behind, also when the question it asked is over'), async () => {
    let tickers = 0;
    const clock = {
      ...systemClock,
      every: (ms: number, tick: () => void) => {
        tickers++;
        const stop = systemClock.every(ms, tick);
        return () => {
          tickers--;
          stop();
        };
      },
    };
    const hooks: Hook[] = [{ name: 'stuck', timeoutMs: 50, onInteraction: hang, postTurn: hang }];
    const session = await createGuard({ tools: [], policy: [], hooks, clock, askTimeoutMs: 50 }).start();
    const turn = session.turn();
    expect(await turn.ask([{ question: 'Anybody?' }])).toEqual({ type: 'unanswered' });
    await turn.dispatch('postTurn', samplePayloads.postTurn);
    await expect.poll(() => tickers, { timeout: 5000 }).toBe(0);
  });

  it(proves('H08')('does not keep the process alive for long'), async () => {
    const program = `
      import { createGuard } from 'bridle';
      const hang = () => new Promise(() => {});
      const hooks = [{ name: 'stuck', timeoutMs: 100, preTurn: hang, onInteraction: hang, onEvent: hang, onSessionEnd: hang }];
      const guard = createGuard({ tools: [], policy: [], hooks, askTimeoutMs: 100 });
      const session = await guard.start();
      const turn = session.turn();
      const entered = await turn.enter('hi');
      const asked = await turn.ask([{ question: 'Anybody?' }]);
      const started = performance.now();
      await session.end();
      process.on('exit', () => console.log(entered.type, asked.type, performance.now() - started < 4000));
    `;
    const ended = await runNode(['--input-type=module', '--eval', program], root);
    expect(ended).toMatchObject({ code: 0, stdout: 'rejected unanswered true\n' });
  });
});

describe('a limit', () => {
  it(proves('H08')('does not count time in which the hook could not run'), async () => {
    const clock = blockingClock();
    const activity = testActivity(
      [
        { name: 'other', timeoutMs: 60_000, onLlmError: hang },
        { name: 'quick', timeoutMs: 1000, preTurn: () => clock.advance(0) },
      ],
      { clock },
    );
    // Something waits already, and a tool blocks for a while before the hook is called.
    void activity.dispatch('onLlmError', samplePayloads.onLlmError);
    clock.block(5000);
    const result = Promise.resolve(activity.dispatch('preTurn', preTurn));
    await clock.advance(60);
    expect(await result).toMatchObject({ type: 'passed' });
  });

  it(proves('H08')('is kept for each of many concurrent waits'), async () => {
    const clock = fakeClock();
    const ended: number[] = [];
    const waits = [100, 250, 400, 550].map((timeoutMs) => {
      const activity = testActivity([{ name: 'stuck', timeoutMs, preTurn: hang }], { clock });
      return Promise.resolve(activity.dispatch('preTurn', preTurn)).then(() => ended.push(clock.now()));
    });
    await clock.advance(1000);
    await Promise.all(waits);
    for (const [index, limitMs] of [100, 250, 400, 550].entries()) {
      expect(ended[index]).toBeGreaterThanOrEqual(limitMs);
      expect(ended[index]).toBeLessThanOrEqual(limitMs + 100);
    }
  });
});
