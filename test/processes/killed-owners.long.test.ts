/** Owners of runs are killed or stopped: others take over, no step is lost, and none is recorded twice. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { bundleChild } from '../faults/bundle-child.ts';
import { inForm } from '../faults/endurance.ts';
import { mustClaim } from '../rigs/run-rig.ts';
import { describeStores, type StoreRig } from '../rigs/store-rig.ts';
import { Child } from './child.ts';
import type { OwnerOptions } from './owner-child.ts';

const rounds = inForm({ usual: 6, endurance: 60 });

let program = '';
beforeAll(async () => {
  program = await bundleChild('../processes/owner-child.ts');
});

function ledgerOf(rig: StoreRig): { readonly file: string; read(): readonly string[] } {
  const file = join(rig.folder, 'ledger');
  return {
    file,
    read: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [],
  };
}

describeStores('an owner', (rig) => {
  const owner = (options: Partial<OwnerOptions> = {}): Child => {
    const { at, keys } = rig;
    return new Child(program, { at, keys, run: 'r', ledger: ledgerOf(rig).file, leaseMs: 3_600_000, ...options });
  };

  it(
    proves('R07')('that is killed is replaced immediately, before its lease expires, and every step is stored once'),
    { timeout: 60_000 },
    async () => {
      const { runs } = await rig.open();
      await runs.create({ id: 'r', agent: 'main', input: 'go' });
      for (let round = 1; round <= rounds; round++) {
        const child = owner();
        expect(await child.next()).toBe(`taken ${2 * round - 1}`);
        for (let steps = 0; steps < (round * 7) % 11; steps++) await child.next();
        expect(await runs.claim('r', { leaseMs: 1000 })).toMatch(/is claimed by process \d+ on /);
        await child.kill();
        const claim = await mustClaim(runs, 'r');
        const recorded = (await claim.steps()).map(({ name }) => name);
        const acknowledged = ledgerOf(rig).read();
        // Besides the acknowledged steps, at most the one in flight at each kill is stored.
        expect(recorded.filter((name) => acknowledged.includes(name))).toEqual(acknowledged);
        expect(recorded.length - acknowledged.length).toBeLessThanOrEqual(round);
        expect(recorded.map((name) => Number(name.split('-')[1]))).toEqual(recorded.map((_, at) => at));
        expect(await claim.state()).toBe(recorded.at(-1));
        await claim.release();
      }
    },
  );

  it(proves('R07')('that sleeps past its lease is fenced when it wakes'), async () => {
    const { runs } = await rig.open();
    await runs.create({ id: 'r', agent: 'main', input: 'go' });
    const sleeper = owner({ leaseMs: 400, sleepAfter: 3 });
    expect(await sleeper.next()).toBe('taken 1');
    for (let steps = 0; steps < 3; steps++) await sleeper.next();
    const claim = (): Promise<unknown> => runs.claim('r', { leaseMs: 60_000 });
    await expect.poll(claim, { timeout: 15_000, interval: 20 }).toBeTypeOf('object');
    const [taken] = await runs.list();
    expect(taken).toMatchObject({ state: 'running', segment: 2, owner: { pid: process.pid } });
    sleeper.wake();
    expect(await sleeper.next()).toMatch(new RegExp(`^fenced: .* process ${process.pid} on `));
    expect(await sleeper.ended()).toBe(0);
    expect(await runs.get('r')).toMatchObject({ segment: 2, steps: 3 });
  });

  it(proves('R07')('is one of many that claim the same run'), async () => {
    const { runs } = await rig.open();
    await runs.create({ id: 'r', agent: 'main', input: 'go' });
    const children = Array.from({ length: 4 }, () => owner());
    const first = await Promise.all(children.map((child) => child.next()));
    expect(first.filter((line) => line === 'taken 1')).toHaveLength(1);
    expect(first.filter((line) => line.startsWith('refused: the run "r" is claimed'))).toHaveLength(3);
    await Promise.all(children.map((child) => child.kill()));
  });

  it(proves('R07')('whose run is cancelled stops at its next step'), async () => {
    const { runs } = await rig.open();
    await runs.create({ id: 'r', agent: 'main', input: 'go' });
    const child = owner();
    await child.next();
    await child.next();
    expect(await runs.cancel('r', 'ada')).toBe(true);
    let line = await child.next();
    while (!line.startsWith('fenced')) line = await child.next();
    expect(line).toContain('cancelled by ada');
    expect(await child.ended()).toBe(0);
    expect(await runs.get('r')).toMatchObject({ state: 'cancelled' });
  });
});
