/** Migrations of a store: forward only, one version at a time, never by half. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import type { TableMigrations } from './table-migrations.ts';

const first: TableMigrations = {
  1: ['CREATE TABLE bridle_things (id BIGINT NOT NULL PRIMARY KEY, text TEXT NOT NULL)'],
};
const second: TableMigrations = {
  ...first,
  2: ['ALTER TABLE bridle_things ADD COLUMN size BIGINT', 'UPDATE bridle_things SET size = length(text)'],
};
const third: TableMigrations = { ...second, 3: ['CREATE INDEX bridle_things_by_size ON bridle_things (size)'] };
const other: TableMigrations = { 1: ['CREATE TABLE bridle_more (id BIGINT NOT NULL PRIMARY KEY)'] };
const broken: TableMigrations = {
  ...first,
  2: ['ALTER TABLE bridle_things ADD COLUMN half BIGINT', 'UPDATE bridle_nothing SET id = 1'],
};

describeStores('the version of a store', (rig) => {
  const version = async (tables: readonly TableMigrations[]): Promise<unknown> => {
    const { database } = await rig.parts(tables);
    return (await database.all('SELECT version FROM bridle_schema'))[0]?.['version'];
  };

  it(proves('R08')('is migrated together with its data'), async () => {
    const { database } = await rig.parts([first, other]);
    await database.run('INSERT INTO bridle_things (id, text) VALUES (?, ?)', [1, 'four']);
    await database.close();
    expect(await version([second, other])).toBe(2);
    expect(await version([third, other])).toBe(3);
    const { database: again } = await rig.parts([third, other]);
    expect(await again.all('SELECT * FROM bridle_things')).toEqual([{ id: 1, text: 'four', size: 4 }]);
  });

  it(proves('R08')('is refused if it is newer, and nothing is changed'), async () => {
    const { database } = await rig.parts([third]);
    await database.run("INSERT INTO bridle_things (id, text) VALUES (1, 'kept')");
    await database.close();
    const before = rig.kind === 'sqlite' ? readFileSync(rig.at) : undefined;
    for (const tables of [[first], [second], [second, other]]) {
      await expect(rig.parts(tables)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    }
    if (before !== undefined) expect(readFileSync(rig.at).equals(before)).toBe(true);
    const { database: again } = await rig.parts([third]);
    expect(await again.all('SELECT * FROM bridle_things')).toEqual([{ id: 1, text: 'kept', size: null }]);
  });

  it(proves('R08')('never changes by half a migration'), async () => {
    const { database } = await rig.parts([first]);
    await expect(rig.parts([broken])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await database.all('SELECT version FROM bridle_schema')).toEqual([{ version: 1 }]);
    await expect((async () => database.all('SELECT half FROM bridle_things'))()).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    expect(await version([second])).toBe(2);
  });

  it('is migrated once when several processes open the store together', async () => {
    await rig.parts([first]);
    const opened = await Promise.all(Array.from({ length: 4 }, () => rig.parts([third])));
    for (const { database } of opened) {
      expect(await database.all('SELECT version FROM bridle_schema')).toEqual([{ version: 3 }]);
    }
  });

  it(proves('R04')('is refused if it is unknown'), async () => {
    const { database } = await rig.parts([first]);
    for (const sql of [
      'UPDATE bridle_schema SET version = -1',
      'INSERT INTO bridle_schema (version, shape) SELECT 1, shape FROM bridle_schema',
      'DELETE FROM bridle_schema',
    ]) {
      await database.run(sql);
      await expect(rig.parts([first]), sql).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
  });
});
