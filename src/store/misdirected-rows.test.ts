/** A damaged index can return the row of another key: that row is refused. */

import { expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { handClock, mustClaim, runRig } from '../../test/rigs/run-rig.ts';
import { describeStores } from '../../test/rigs/store-rig.ts';
import { openApprovals } from './approvals/open-approvals.ts';
import type { Database, Queries, SqlValue } from './database/database.ts';
import { RunContents } from './runs/run-contents.ts';
import { RunRows } from './runs/run-rows.ts';

/** A database that returns `found` whenever `asked` is requested. */
function misdirected(queries: Queries, asked: SqlValue, found: SqlValue): Queries {
  const redirect = (value: SqlValue): SqlValue => (value === asked ? found : value);
  return { ...queries, all: (sql, values = []) => queries.all(sql, values.map(redirect)) };
}

describeStores('a row behind a damaged index', (rig) => {
  it(proves('R04')('is detected as the row of another run'), async () => {
    const { parts, runs } = await runRig(rig, handClock());
    await runs.create({ id: 'one', agent: 'main', input: 'a' });
    await runs.create({ id: 'two', agent: 'main', input: 'b' });
    const rows = new RunRows(parts);
    expect(await rows.read(parts.database, 'two')).toMatchObject({ id: 'two' });
    await expect(rows.read(misdirected(parts.database, 'one', 'two'), 'one')).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringContaining('"one"'),
    });
  });

  it(proves('R04')('is detected as the state of another run'), async () => {
    const { parts, runs } = await runRig(rig, handClock());
    for (const id of ['one', 'two']) {
      await runs.create({ id, agent: 'main', input: id });
      await (await mustClaim(runs, id)).record({ kind: 'k', name: 'n', value: id }, id);
    }
    const [rows, contents] = [new RunRows(parts), new RunContents(parts)];
    const one = await rows.read(parts.database, 'one');
    if (one === undefined) throw new RangeError('there is no run');
    expect(await contents.state(parts.database, one)).toBe('one');
    await expect(contents.state(misdirected(parts.database, 'one', 'two'), one)).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
    });
  });

  it(proves('R04')('is detected as the row of another approval'), async () => {
    const { parts, ask } = await runRig(rig, handClock());
    const [one, two] = [await ask('r'), await ask('r')];
    expect((await openApprovals(parts).get(two))?.id).toBe(two);
    const database = misdirected(parts.database, one, two) as Database;
    await expect(openApprovals({ ...parts, database }).get(one)).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
    });
  });
});
