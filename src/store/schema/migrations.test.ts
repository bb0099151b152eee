/** Migrations of a store: forward only, one version at a time, never by half. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import { type Migrations, storeMigrations, type Table, tables } from './schema.ts';

const first: Migrations = {
  1: ['CREATE TABLE bridle_things (id BIGINT NOT NULL PRIMARY KEY, text TEXT NOT NULL)'],
};
const second: Migrations = {
  ...first,
  2: ['ALTER TABLE bridle_things ADD COLUMN size BIGINT', 'UPDATE bridle_things SET size = length(text)'],
};
const third: Migrations = { ...second, 3: ['CREATE INDEX bridle_things_by_size ON bridle_things (size)'] };
const broken: Migrations = {
  ...first,
  2: ['ALTER TABLE bridle_things ADD COLUMN half BIGINT', 'UPDATE bridle_nothing SET id = 1'],
};

describeStores('the version of a store', (rig) => {
  const version = async (migrations: Migrations): Promise<unknown> => {
    const { database } = await rig.parts({ migrations });
    return (await database.all('SELECT version FROM bridle_schema'))[0]?.['version'];
  };

  it(proves('R08')('is migrated together with its data'), async () => {
    const { database } = await rig.parts({ migrations: first });
    await database.run('INSERT INTO bridle_things (id, text) VALUES (?, ?)', [1, 'four']);
    await database.close();
    expect(await version(second)).toBe(2);
    expect(await version(third)).toBe(3);
    const { database: again } = await rig.parts({ migrations: third });
    expect(await again.all('SELECT * FROM bridle_things')).toEqual([{ id: 1, text: 'four', size: 4 }]);
  });

  it(proves('R08')('creates a table that a later version added, in old and new stores'), async () => {
    const { database: old } = await rig.parts({});
    const notes: Table = { since: 2, key: { id: 'text' }, columns: { text: 'text' } };
    const migrations = storeMigrations(old.dialect, { ...tables, bridle_notes: notes });
    expect(migrations[1]).toEqual(storeMigrations(old.dialect)[1]);
    await old.close();
    expect(await version(migrations)).toBe(2);
    const { database } = await rig.parts({ migrations });
    expect(await database.all('SELECT * FROM bridle_notes')).toEqual([]);
    await database.close();
  });

  it(proves('R08')('is refused if it is newer, and nothing is changed'), async () => {
    const { database } = await rig.parts({ migrations: third });
    await database.run("INSERT INTO bridle_things (id, text) VALUES (1, 'kept')");
    await database.close();
    const before = rig.kind === 'sqlite' ? readFileSync(rig.at) : undefined;
    for (const migrations of [first, second]) {
      await expect(rig.parts({ migrations })).rejects.toMatchObject({ code: 'STORE_VERSION' });
    }
    if (before !== undefined) expect(readFileSync(rig.at).equals(before)).toBe(true);
    const { database: again } = await rig.parts({ migrations: third });
    expect(await again.all('SELECT * FROM bridle_things')).toEqual([{ id: 1, text: 'kept', size: null }]);
  });

  it(proves('R08')('never changes by half a migration'), async () => {
    const { database } = await rig.parts({ migrations: first });
    await expect(rig.parts({ migrations: broken })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await database.all('SELECT version FROM bridle_schema')).toEqual([{ version: 1 }]);
    await expect((async () => database.all('SELECT half FROM bridle_things'))()).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    expect(await version(second)).toBe(2);
  });

  it('is migrated once when several processes open the store together', async () => {
    await rig.parts({ migrations: first });
    const opened = await Promise.all(Array.from({ length: 4 }, () => rig.parts({ migrations: third })));
    for (const { database } of opened) {
      expect(await database.all('SELECT version FROM bridle_schema')).toEqual([{ version: 3 }]);
    }
  });

  it(proves('R04')('is refused if it is unknown'), async () => {
    const { database } = await rig.parts({ migrations: first });
    for (const sql of [
      'UPDATE bridle_schema SET version = -1',
      'INSERT INTO bridle_schema (version, shape) SELECT 1, shape FROM bridle_schema',
      'DELETE FROM bridle_schema',
    ]) {
      await database.run(sql);
      await expect(rig.parts({ migrations: first }), sql).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
  });
});
