/** Time limits of hooks that block: found out when they return, also after the chain has proven quick. */

import { type BridleEvent, type Hook, type PointName, reject, replace, transform } from 'bridle';
import { testActivity } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { type BlockingClock, blockingClock, hang, sleep } from '../../../../test/rigs/blocking-clock.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';

const { preToolCall, postToolCall } = samplePayloads;

type TestActivity = ReturnType<typeof testActivity>;

/** Dispatches often enough for the hooks to count as proven quick. */
async function proveQuick(activity: TestActivity, point: PointName, rounds = 12): Promise<void> {
  for (let round = 0; round < rounds; round++) await activity.dispatch(point, samplePayloads[point]);
}

function failuresOf(events: readonly BridleEvent[]): unknown[] {
  return events.flatMap((event) =>
    event.type === 'hook_failed' ? [{ hook: event.hook, kind: event.kind, message: event.message }] : [],
  );
}

const blocking = (clock: BlockingClock, ms: number, more: Partial<Hook> = {}): Hook => ({
  name: 'heavy',
  timeoutMs: 100,
  preToolCall: () => clock.block(ms),
  ...more,
});

describe('a hook that blocks', () => {
  it.each([
    [99, undefined, 'passed'],
    [100, undefined, 'rejected'],
    [100, true, 'passed'],
    [100, false, 'rejected'],
  ])(proves('H08', 'H06')('for %i of 100 ms, failOpen %s: %s'), async (ms, failOpen, type) => {
    const clock = blockingClock();
    const events: BridleEvent[] = [];
    const watcher: Hook = { name: 'watcher', onEvent: (event) => void events.push(event) };
    const activity = testActivity([blocking(clock, ms, { failOpen }), watcher], { clock });
    expect(await activity.dispatch('preToolCall', preToolCall)).toMatchObject({ type });
    const failure = {
      hook: 'heavy',
      kind: 'timeout',
      message: expect.stringMatching(/^took 100 ms, limit 100 ms; .*`confirm\(question\)`/) as string,
    };
    expect(failuresOf(events)).toEqual(ms < 100 ? [] : [failure]);
  });

  it(proves('H08')('has its answer ignored, as if it had timed out'), async () => {
    const clock = blockingClock();
    const late: Hook = {
      name: 'late',
      timeoutMs: 100,
      postToolCall: () => {
        clock.block(500);
        return transform('late');
      },
    };
    const result = await testActivity([late], { clock }).dispatch('postToolCall', postToolCall);
    expect(result).toMatchObject({ type: 'passed', payload: undefined });
  });

  it.each([false, true])(
    proves('H08')('is found out if it is asynchronous, also after waiting for something (%s)'),
    async (waits) => {
      const clock = blockingClock();
      const heavy = blocking(clock, 0, {
        preToolCall: async () => {
          if (waits) await Promise.resolve();
          clock.block(5000);
        },
      });
      const activity = testActivity([heavy], { clock });
      expect(await activity.dispatch('preToolCall', preToolCall)).toMatchObject({ type: 'rejected', hook: 'heavy' });
    },
  );

  it(proves('H08')('is found out behind one that hangs or waits'), async () => {
    const clock = blockingClock();
    const stuck: Hook = { name: 'stuck', timeoutMs: 100, failOpen: true, preToolCall: hang };
    const waiting: Hook = { name: 'waiting', timeoutMs: 100, failOpen: true, preToolCall: async () => {} };
    for (const before of [stuck, waiting]) {
      const activity = testActivity([before, blocking(clock, 5000)], { clock });
      const result = Promise.resolve(activity.dispatch('preToolCall', preToolCall));
      await clock.advance(200);
      expect(await result).toMatchObject({ type: 'rejected', hook: 'heavy' });
    }
  });

  it(proves('H08', 'H04')('is measured by its own limit, also after hooks that a replace has skipped'), async () => {
    const clock = blockingClock();
    const hooks: Hook[] = [
      { name: 'replacer', timeoutMs: 60_000, preToolCall: () => replace({ path: 'b' }) },
      { name: 'skipped', timeoutMs: 60_000, preToolCall: () => undefined },
      blocking(clock, 5000, { gate: true }),
    ];
    const result = await testActivity(hooks, { clock }).dispatch('preToolCall', preToolCall);
    expect(result).toMatchObject({ type: 'rejected', hook: 'heavy' });
  });

  it(proves('H08')('is found out with the real clock'), async () => {
    const busy: Hook = {
      name: 'busy',
      timeoutMs: 20,
      preToolCall: () => {
        const end = performance.now() + 25;
        while (performance.now() < end);
      },
    };
    expect(await testActivity([busy]).dispatch('preToolCall', preToolCall)).toMatchObject({
      type: 'rejected',
      hook: 'busy',
    });
  });
});

/** Hooks that do what a table says, and what came of them. */
function chainOf(names: readonly string[], more: Partial<Hook> = {}) {
  const clock = blockingClock();
  const does = new Map<string, () => unknown>();
  const events: BridleEvent[] = [];
  const called: string[] = [];
  const hooks = names.map((name, index): Hook => {
    const act = (): unknown => {
      called.push(name);
      return does.get(name)?.();
    };
    // An asynchronous hook is spelled with a star.
    return {
      name,
      priority: index,
      timeoutMs: 100,
      ...more,
      preToolCall: (name.endsWith('*') ? async () => act() : act) as () => undefined,
    };
  });
  const activity = testActivity([...hooks, { name: 'watcher', onEvent: (event) => void events.push(event) }], {
    clock,
  });
  const dispatch = (): Promise<{ type: string }> => Promise.resolve(activity.dispatch('preToolCall', preToolCall));
  return { clock, does, events, called, dispatch, prove: () => proveQuick(activity, 'preToolCall') };
}

describe('a hook that blocks after the chain has proven quick', () => {
  it.each([[['a']], [['a', 'b', 'c']], [['a*']], [['a*', 'b*', 'c*']], [['a', 'b*', 'c']], [['a*', 'b', 'c*']]])(
    proves('H08', 'H06')('still closes the gate: %j, whichever it is'),
    async (names) => {
      for (const slow of names) {
        for (const sum of [false, true]) {
          const { clock, does, events, called, dispatch, prove } = chainOf(names);
          await prove();
          called.length = 0;
          does.set(slow, () => clock.block(sum ? 60_000 : 300));
          expect(await dispatch(), slow).toMatchObject({ type: 'rejected' });
          const failures = failuresOf(events) as { hook: string; kind: string }[];
          expect(failures).toHaveLength(1);
          expect(failures[0]?.kind).toBe('timeout');
          expect(failures[0]?.hook.split(', ')).toContain(slow);
          // From then on each is timed for itself again, and named alone.
          events.length = 0;
          await dispatch();
          expect(failuresOf(events)).toMatchObject([{ hook: slow, kind: 'timeout' }]);
        }
      }
    },
  );

  it(proves('H08')('does not lose the answer of another hook'), async () => {
    for (const names of [
      ['slow', 'strict'],
      ['slow*', 'strict*'],
      ['slow*', 'strict'],
    ]) {
      const { clock, does, dispatch, prove } = chainOf(names, { failOpen: true });
      await prove();
      does.set(names[0] as string, () => clock.block(5000));
      does.set(names[1] as string, () => reject('no'));
      expect(await dispatch(), names.join()).toMatchObject({ type: 'rejected', reason: 'no' });
    }
  });

  it(proves('H08')('stays open with failOpen: true, and is recorded'), async () => {
    const { clock, does, events, dispatch, prove } = chainOf(['a', 'b'], { failOpen: true });
    await prove();
    does.set('a', () => clock.block(5000));
    expect(await dispatch()).toMatchObject({ type: 'passed' });
    expect(failuresOf(events)).toMatchObject([{ hook: 'a, b', kind: 'timeout' }]);
  });

  it(proves('H08')('is not hidden by a dispatch within'), async () => {
    const { clock, does, dispatch, prove } = chainOf(['a']);
    await prove();
    let depth = 0;
    does.set('a', () => {
      clock.block(5000);
      return depth++ === 0 ? void dispatch() : undefined;
    });
    expect(await dispatch()).toMatchObject({ type: 'rejected' });
    expect(depth).toBe(2);
  });

  it(proves('H08')('is not blamed on hooks with other limits, nor with other ways to fail'), async () => {
    const clock = blockingClock();
    let slow = 0;
    const patient: Hook = { name: 'patient', timeoutMs: 60_000, preToolCall: () => clock.block(slow) };
    const open: Hook = { name: 'open', failOpen: true, timeoutMs: 100, preToolCall: () => clock.block(slow) };
    const strict: Hook = { name: 'strict', timeoutMs: 100, preToolCall: () => undefined };
    for (const hooks of [
      [patient, strict],
      [strict, patient],
      [open, strict],
      [strict, open],
    ]) {
      slow = 0;
      const activity = testActivity(hooks, { clock });
      await proveQuick(activity, 'preToolCall');
      slow = 5000;
      expect(await activity.dispatch('preToolCall', preToolCall), hooks[0]?.name).toMatchObject({ type: 'passed' });
    }
  });

  it(proves('H08', 'H16')('is not blamed on the others if it is detached'), async () => {
    const clock = blockingClock();
    let slow = 0;
    const beside: Hook = { name: 'beside', detached: true, postToolCall: () => clock.block(slow) };
    const redactor: Hook = { name: 'redactor', failOpen: false, timeoutMs: 100, postToolCall: () => undefined };
    const activity = testActivity([beside, redactor], { clock });
    await proveQuick(activity, 'postToolCall');
    slow = 5000;
    expect(await activity.dispatch('postToolCall', postToolCall)).toMatchObject({ type: 'passed' });
  });

  it(
    proves('H08')('is distinguished from real waits: several waits below the limit are not an overrun together'),
    async () => {
      const { clock, does, dispatch, prove } = chainOf(['a*', 'b*', 'c*', 'd']);
      await prove();
      const wait = (): Promise<void> => sleep(clock, 90);
      does.set('a*', wait);
      does.set('b*', wait);
      does.set('c*', wait);
      const result = dispatch();
      await clock.advance(500);
      expect(await result).toMatchObject({ type: 'passed' });
    },
  );

  it(proves('H08')('costs no reading of the clock for each hook'), async () => {
    const clock = blockingClock();
    let readings = 0;
    const counting = { ...clock, now: () => (readings++, clock.now()) };
    for (const method of [() => undefined, async () => undefined]) {
      const hooks = Array.from({ length: 20 }, (_, index): Hook => ({ name: `h${index}`, preToolCall: method }));
      const activity = testActivity(hooks, { clock: counting });
      await proveQuick(activity, 'preToolCall');
      readings = 0;
      await activity.dispatch('preToolCall', preToolCall);
      expect(readings).toBeLessThanOrEqual(3);
      await clock.advance(100);
    }
  });
});
