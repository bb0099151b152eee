/** Rounds of a loop: after a pause, when woken, never lost, never two at once. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../test/rigs/fleet-rig.ts';
import { PollingLoop, type PollingLoopOptions } from './polling-loop.ts';

const quiet: PollingLoopOptions = { work: async () => undefined, pauseMs: 1e8, leastMs: 0, failed: () => undefined };
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
  it('goes round at once, and again after each pause', async () => {
    let rounds = 0;
    start({ pauseMs: 2, work: async () => void rounds++ });
    await until(() => rounds >= 3);
  });

  it('goes round when it is woken, also while it goes round', async () => {
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

  it('makes one round of many wakings, and never two at once', async () => {
    let [now, most, rounds] = [0, 0, 0];
    const work = async (): Promise<void> => {
      rounds++;
      most = Math.max(most, ++now);
      await sleep(20);
      now--;
    };
    const loop = start({ work, leastMs: 30 });
    for (let count = 0; count < 200; count++) loop.wake();
    await sleep(10);
    for (let count = 0; count < 200; count++) loop.wake();
    await until(() => rounds === 2);
    await sleep(100);
    expect([rounds, most]).toEqual([2, 1]);
  });

  it('tells what fails and goes on; after its end it tells nothing', async () => {
    const told: string[] = [];
    const failing = start({
      pauseMs: 1,
      failed: (message) => told.push(message),
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

  it('stays in the context it was made in, whoever wakes it', async () => {
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
