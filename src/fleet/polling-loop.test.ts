/** Rounds of a loop: after a pause, when woken, never lost, never two at once. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../test/rigs/fleet-rig.ts';
import { PollingLoop, type PollingLoopOptions } from './polling-loop.ts';

const quiet: PollingLoopOptions = {
  work: async () => undefined,
  pauseMs: 1e8,
  minPauseMs: 0,
  onError: () => undefined,
};
const loops: PollingLoop[] = [];
afterEach(() => {
  for (const loop of loops.splice(0)) loop.stop();
});

function start(order: Partial<PollingLoopOptions>): PollingLoop {
  const loop = new PollingLoop({ ...quiet, ...order });
  loops.push(loop);
  return loop;
}

describe('a loop', () => {
  it('starts immediately, and repeats after each pause', async () => {
    let rounds = 0;
    start({ pauseMs: 2, work: async () => void rounds++ });
    await until(() => rounds >= 3);
  });

  it('starts a round when woken, also during a round', async () => {
    let rounds = 0;
    const loop = start({
      work: async () => {
        rounds++;
        if (rounds === 2) loop.wake();
        await sleep(1);
      },
    });
    await until(() => rounds === 1);
    await sleep(20);
    loop.wake();
    await until(() => rounds === 3);
    await sleep(20);
    expect(rounds).toBe(3);
  });

  it('merges many wake-ups into one round, and never overlaps rounds', async () => {
    let [now, most, rounds] = [0, 0, 0];
    const work = async (): Promise<void> => {
      rounds++;
      most = Math.max(most, ++now);
      await sleep(20);
      now--;
    };
    const loop = start({ work, minPauseMs: 30 });
    for (let count = 0; count < 200; count++) loop.wake();
    await sleep(10);
    for (let count = 0; count < 200; count++) loop.wake();
    await until(() => rounds === 2);
    await sleep(100);
    expect([rounds, most]).toEqual([2, 1]);
  });

  it('reports errors and continues; after it is stopped, it reports nothing', async () => {
    const told: string[] = [];
    const failing = start({
      pauseMs: 1,
      onError: (message) => told.push(message),
      work: async () => {
        await sleep(2);
        throw new RangeError('no');
      },
    });
    await until(() => told.length > 1);
    failing.stop();
    const { length } = told;
    await sleep(20);
    expect(told).toEqual(Array.from({ length }, () => 'no'));
  });

  it('stays in the async context it was created in, not that of the waker', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const work = async (): Promise<void> => {
      await sleep(1);
      seen.push(context.getStore());
    };
    const loop = context.run('maker', () => start({ work }));
    await until(() => seen.length === 1);
    await sleep(5);
    context.run('waker', () => loop.wake());
    await until(() => seen.length === 2);
    expect(seen).toEqual(['maker', 'maker']);
  });
});
