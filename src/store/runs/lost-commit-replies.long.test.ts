/** A store that commits and then loses the reply: a retry does nothing twice. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { type Fault, losing } from '../../../test/rigs/losing-database.ts';
import { runs as runCount } from '../../../test/property-runs.ts';
import { handClock, mustClaim, runRig } from '../../../test/rigs/run-rig.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import { BridleError } from '../../kernel/errors.ts';
import { openRuns } from './open-runs.ts';
import type { Runs } from './run-record.ts';

const away = (): BridleError => new BridleError('STORE_FAILED', 'the connection was lost');

async function faulty(rig: StoreRig, faults: Fault[]): Promise<Runs> {
  const { parts } = await runRig(rig, handClock());
  return openRuns({ ...parts, database: losing(parts.database, faults, away) });
}

/** Retries until it succeeds, like the owner of a run. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BridleError) || error.code !== 'STORE_FAILED') throw error;
    }
  }
}

describeStores('a run whose store loses commit replies', (rig) => {
  it(proves('R07')('has every step once, and ends once'), async () => {
    const faults: Fault[] = [];
    const runs = await faulty(rig, faults);
    await runs.create({ id: 'r', agent: 'main', input: 1 });
    const claim = await mustClaim(runs, 'r');
    const step = (name: string): Promise<void> => patiently(() => claim.record({ kind: 'k', name, value: name }, name));
    faults.push('after');
    await step('one');
    faults.push('after', 'before', 'before');
    await step('two');
    faults.push('before', 'after', 'after');
    await step('three');
    // A renewal in between does not change that.
    faults.push('after');
    await expect(claim.record({ kind: 'k', name: 'four', value: 'four' })).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    faults.push('after');
    await patiently(() => claim.renew());
    await step('four');
    // The same request again, without a lost reply, is another step.
    await step('four');
    expect((await claim.steps()).map(({ name }) => name)).toEqual(['one', 'two', 'three', 'four', 'four']);
    expect(await claim.state()).toBe('four');
    faults.push('after');
    await patiently(() => claim.finish({ state: 'done', output: 'fine' }));
    expect(await runs.get('r')).toMatchObject({ state: 'done', output: 'fine', steps: 5 });
    await expect(claim.renew()).rejects.toMatchObject({ code: 'RUN_FENCED' });
  });

  it(proves('R07')('is released and cancelled as if no reply was lost'), async () => {
    const faults: Fault[] = [];
    const runs = await faulty(rig, faults);
    await runs.create({ id: 'r', agent: 'main', input: 1 });
    const claim = await mustClaim(runs, 'r');
    faults.push('after', 'before');
    await patiently(() => claim.release());
    expect(await runs.get('r')).toMatchObject({ state: 'queued', segment: 1 });
    const next = await mustClaim(runs, 'r');
    faults.push('after');
    await expect(next.record({ kind: 'k', name: 'x', value: 1 })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await runs.cancel('r', 'ada')).toBe(true);
    await expect(next.record({ kind: 'k', name: 'x', value: 1 })).rejects.toMatchObject({ code: 'RUN_FENCED' });
  });

  it(proves('R07')('has every step once, whichever reply is lost'), async () => {
    const fault = fc.constantFrom<Fault>('none', 'before', 'after');
    const op = fc.record({ renews: fc.boolean(), faults: fc.array(fault, { maxLength: 4 }) });
    const faults: Fault[] = [];
    const runs = await faulty(rig, faults);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 8 }), async (ops) => {
        const id = `r${count++}`;
        await runs.create({ id, agent: 'main', input: 1 });
        const claim = await mustClaim(runs, id);
        for (const [at, { renews, faults: planned }] of ops.entries()) {
          faults.push(...planned);
          const record = patiently(() => claim.record({ kind: 'k', name: String(at), value: at }, at));
          await Promise.all([record, renews ? patiently(() => claim.renew()) : undefined]);
          faults.length = 0;
        }
        expect((await claim.steps()).map(({ value }) => value)).toEqual(ops.map((_, at) => at));
        await claim.release();
      }),
      { numRuns: runCount(40) },
    );
  });
});
