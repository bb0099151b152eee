/** Four processes use the same limits and rates concurrently: they are reached exactly and never exceeded. */

import { beforeAll, expect, it } from 'vitest';
import type { TakeRequest } from '../../src/store/counters/counters.ts';
import { proves } from '../contract/cite.ts';
import { bundleChild } from '../faults/bundle-child.ts';
import { describeStores, type StoreRig } from '../rigs/store-rig.ts';
import { Child } from './child.ts';
import type { CounterReport } from './counter-child.ts';

let program = '';
beforeAll(async () => {
  program = await bundleChild('../processes/counter-child.ts');
});

async function hammer(
  rig: StoreRig,
  taking: TakeRequest,
  until: { refusals: number; forMs: number },
): Promise<CounterReport> {
  const { at, keys } = rig;
  // Created before the others open it.
  await rig.open();
  const children = Array.from({ length: 4 }, () => new Child(program, { at, keys, taking, ...until }));
  for (const child of children) expect(await child.next()).toBe('ready');
  for (const child of children) child.say('go');
  const reports = await Promise.all(children.map((child) => child.data<CounterReport>()));
  for (const child of children) await child.ended();
  return {
    granted: reports.flatMap(({ granted }) => granted),
    refused: reports.reduce((sum, { refused }) => sum + refused, 0),
  };
}

describeStores('four processes', (rig) => {
  it(proves('R06')('get exactly as much as a limit allows'), { timeout: 60_000 }, async () => {
    const taking = { account: 'team', amounts: { calls: 1 }, limits: { calls: 150 } };
    const { granted } = await hammer(rig, taking, { refusals: 10, forMs: 0 });
    expect(granted).toHaveLength(150);
    expect(await (await rig.open()).counters.used('team')).toEqual({ calls: 150 });
  });

  it(proves('R06')('get exactly as much as a rate allows'), { timeout: 60_000 }, async () => {
    const taking = { account: 'team', amounts: {}, rates: { calls: { max: 120, perMs: 3_600_000 } } };
    const { granted } = await hammer(rig, taking, { refusals: 10, forMs: 0 });
    expect(granted).toHaveLength(120);
  });

  it(proves('R06')('never exceed a rate in any period, and continue after it'), { timeout: 60_000 }, async () => {
    const [max, perMs] = [8, 800];
    const taking = { account: 'team', amounts: {}, rates: { calls: { max, perMs } } };
    const { granted, refused } = await hammer(rig, taking, { refusals: 10, forMs: 3 * perMs });
    expect(refused).toBeGreaterThan(0);
    expect(granted.length).toBeGreaterThan(max);
    // Each was granted between its two times. So many that all lie within a stretch must not be more than there may
    // be;
    // the clock of a server may differ from ours in how it rounds.
    const rounding = 2;
    for (const [start] of granted) {
      const within = granted.filter(([before, after]) => before >= start && after + rounding < start + perMs);
      expect(within.length).toBeLessThanOrEqual(max);
    }
  });
});
