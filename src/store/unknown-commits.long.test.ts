/** Lost commit replies, in every part that must write once: a committed change is found, and nothing is done twice. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { detailsIn, noteOf } from '../../test/rigs/journal-rig.ts';
import { type Fault, losing } from '../../test/rigs/losing-database.ts';
import { runs } from '../../test/property-runs.ts';
import { draftOf } from '../../test/rigs/run-rig.ts';
import { describeStores, type StoreRig } from '../../test/rigs/store-rig.ts';
import { openApprovals } from './approvals/open-approvals.ts';
import { UnknownCommitOutcome } from './database/write-once.ts';
import { openJournal } from './journal/open-journal.ts';
import type { NamespaceContext } from './namespace/namespace.ts';
import { openSessions } from './sessions/open-sessions.ts';

/** A process with its own connection, which loses replies on request. */
async function process(rig: StoreRig, faults: Fault[]): Promise<NamespaceContext> {
  const parts = await rig.parts();
  return { ...parts, database: losing(parts.database, faults, () => new UnknownCommitOutcome('here', undefined)) };
}

/** Never so many losses in a row that the write fails. */
const someFaults = fc.array(
  fc.constantFrom<readonly Fault[]>(['none'], ['before', 'none'], ['during', 'none'], ['after', 'none']),
  { maxLength: 8 },
);

describeStores('a commit whose reply is lost', (rig) => {
  it(proves('R05', 'Q02')('of an approval: one process uses it, and knows it'), async () => {
    await fc.assert(
      fc.asyncProperty(someFaults, someFaults, async (ones, others) => {
        const both = await Promise.all([ones, others].map((faults) => process(rig, faults.flat())));
        const [one, other] = both.map((parts) => openApprovals(parts));
        const { id } = await one!.put(draftOf('r', Date.now(), 60_000));
        expect(await other!.move(id, { from: 'pending', to: 'approved', by: 'bridle' })).toBe(true);
        const used = await Promise.all(
          [one!, other!].map((each) => each.move(id, { from: 'approved', to: 'used', by: 'bridle' })),
        );
        expect(used.filter(Boolean)).toHaveLength(1);
        expect((await one!.get(id))?.changes.map(({ state }) => state)).toEqual(['pending', 'approved', 'used']);
        expect(await one!.list({ run: 'r', limit: 1000 })).toContainEqual(expect.objectContaining({ id }));
      }),
      { numRuns: runs(20) },
    );
  });

  it(proves('R02', 'R09')('of the journal: every entry is stored once'), async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(someFaults, async (faults) => {
        const parts = await process(rig, faults.flat());
        const journal = openJournal(parts);
        const from = (await journal.head()).count;
        for (let n = 0; n < 5; n++)
          await Promise.all([noteOf(count++), noteOf(count++)].map((each) => journal.append(each)));
        expect(await detailsIn(journal.read({ from }))).toEqual(Array.from({ length: 10 }, (_, n) => count - 10 + n));
        expect(await journal.verify()).toMatchObject({ ok: true });
        await journal.close();
      }),
      { numRuns: runs(20) },
    );
  });

  it('of a session: it is saved once, and the next save finds it', async () => {
    const sessions = openSessions(await process(rig, ['after', 'during', 'none', 'before', 'none', 'during']));
    let version = 0;
    for (let n = 1; n <= 3; n++) {
      version = await sessions.save('s', { n }, version);
      expect(version).toBe(n);
    }
    expect(await sessions.load('s')).toEqual({ body: { n: 3 }, version: 3 });
  });

  it('that happens repeatedly is reported in the end', async () => {
    const faults: Fault[] = ['before', 'before', 'before'];
    const sessions = openSessions(await process(rig, faults));
    await expect(sessions.save('s', {}, 0)).rejects.toThrow(UnknownCommitOutcome);
    expect(faults).toEqual([]);
  });
});
