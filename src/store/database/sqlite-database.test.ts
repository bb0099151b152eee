/** SQLite as a database: transactions, savepoints, several connections. */

import { expect, it } from 'vitest';
import { describeStores } from '../../../test/store-rig.ts';
import type { PartTables } from './part-tables.ts';

const tables: PartTables = { 1: ['CREATE TABLE bridle_things (id BIGINT NOT NULL PRIMARY KEY, text TEXT NOT NULL)'] };

describeStores('a database', (rig) => {
  it('commits what is asked for together, and undoes what fails alone', async () => {
    const { database } = await rig.parts([tables]);
    const write = (id: number) =>
      database.write((transaction) => transaction.run('INSERT INTO bridle_things VALUES (?, ?)', [id, 'x']));
    const settled = await Promise.allSettled([1, 2, 1, 3].map(write));
    expect(settled.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(settled[2]).toMatchObject({ reason: { code: 'STORE_CONFLICT' } });
    expect(await database.all('SELECT id FROM bridle_things ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });
});
