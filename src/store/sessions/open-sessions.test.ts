/** Sessions in a store are loaded as saved, and never overwrite a newer version. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { handClock } from '../../../test/rigs/run-rig.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import { openSessions } from './open-sessions.ts';
import type { SavedDocuments } from './open-sessions.ts';

const conflict = { code: 'STORE_CONFLICT' };

async function sessionsOf(
  rig: StoreRig,
  options: object = {},
): Promise<{ readonly sessions: SavedDocuments; readonly parts: NamespaceContext }> {
  const parts = await rig.parts({ clock: handClock(), ...options });
  return { parts, sessions: openSessions(parts) };
}

describeStores('saved sessions', (rig) => {
  it(proves('A17')('are loaded as they were saved, also in another process'), async () => {
    const [here, there] = [await sessionsOf(rig), await sessionsOf(rig)];
    expect(await there.sessions.load('s1')).toBeUndefined();
    expect(await here.sessions.save('s1', { text: '\u0000 \ud800 ✓', deep: [{ x: 1 }] }, 0)).toBe(1);
    const body = { text: '\u0000 \ud800 ✓', deep: [{ x: 1 }] };
    expect(await there.sessions.load('s1')).toEqual({ body, version: 1 });
    expect(await there.sessions.save('s1', { n: 2 }, 1)).toBe(2);
    expect(await here.sessions.load('s1')).toEqual({ body: { n: 2 }, version: 2 });
  });

  it(proves('A17')('are not overwritten without their last version'), async () => {
    const [here, there] = [await sessionsOf(rig), await sessionsOf(rig)];
    await here.sessions.save('s1', { by: 'here' }, 0);
    await expect(there.sessions.save('s1', { by: 'there' }, 0)).rejects.toMatchObject(conflict);
    await there.sessions.save('s1', { by: 'there' }, 1);
    await expect(here.sessions.save('s1', { by: 'here' }, 1)).rejects.toMatchObject({
      ...conflict,
      message: expect.stringContaining('"s1"'),
    });
    await expect(here.sessions.save('s1', { by: 'here' }, 7)).rejects.toMatchObject(conflict);
    await expect(here.sessions.save('s2', { by: 'here' }, 1)).rejects.toMatchObject(conflict);
    expect(await here.sessions.load('s1')).toEqual({ body: { by: 'there' }, version: 2 });
    await here.sessions.delete('s1');
    await here.sessions.delete('s1');
    expect(await there.sessions.load('s1')).toBeUndefined();
    await expect(there.sessions.save('s1', {}, 2)).rejects.toMatchObject(conflict);
  });

  it(proves('A17')('saved concurrently are saved by one process each time'), async () => {
    const writers = await Promise.all(Array.from({ length: 4 }, () => sessionsOf(rig)));
    for (let version = 0; version < 10; version++) {
      const ends = await Promise.allSettled(
        writers.map(({ sessions }, by) => sessions.save('s1', { by, version }, version)),
      );
      const won = ends.flatMap(({ status }, by) => (status === 'fulfilled' ? [by] : []));
      expect(won).toHaveLength(1);
      expect(await writers[0]?.sessions.load('s1')).toEqual({ body: { by: won[0], version }, version: version + 1 });
    }
  });

  it('are listed, the last saved first', async () => {
    const clock = handClock();
    const { sessions } = await sessionsOf(rig, { clock });
    for (const id of ['a', 'b', 'c']) {
      await sessions.save(id, {}, 0);
      clock.move(1);
    }
    await sessions.save('a', {}, 1);
    expect((await sessions.list()).map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    expect(await sessions.list(1)).toEqual([{ id: 'a', savedAt: clock() }]);
  });

  it(
    proves('R01', 'R04', 'R10')('are sealed, kept apart by namespace, and encrypted where that is wanted'),
    async () => {
      const [mine, theirs] = [await sessionsOf(rig, { encrypt: true }), await sessionsOf(rig, { namespace: 'b' })];
      const { database } = mine.parts;
      await mine.sessions.save('s1', { secret: 'SECRET' }, 0);
      expect(await theirs.sessions.load('s1')).toBeUndefined();
      expect(await theirs.sessions.list()).toEqual([]);
      expect(JSON.stringify(await database.all('SELECT * FROM bridle_sessions'))).not.toContain('SECRET');
      expect(await mine.sessions.load('s1')).toMatchObject({ body: { secret: 'SECRET' } });
      await database.run(`UPDATE bridle_sessions SET id = 's2' WHERE id = 's1'`);
      await expect(mine.sessions.load('s2')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      await expect(mine.sessions.save('s2', {}, 1)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      for (const id of ['', '../x', 'a/b', 'x'.repeat(129)]) {
        await expect(mine.sessions.save(id, {}, 0)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
      }
    },
  );

  it(proves('R04')('that were lost do not start over until they are deleted'), async () => {
    const { sessions, parts } = await sessionsOf(rig);
    await sessions.save('s1', { used: 5 }, 0);
    await parts.database.run(`DELETE FROM bridle_sessions WHERE id = 's1'`);
    await expect(sessions.load('s1')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(sessions.save('s1', { used: 0 }, 0)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await sessions.delete('s1');
    expect(await sessions.load('s1')).toBeUndefined();
    expect(await sessions.save('s1', { used: 0 }, 0)).toBe(1);
  });

  it(proves('A17')('behave like a map of versions'), async () => {
    const writers = [await sessionsOf(rig), await sessionsOf(rig)];
    const op = fc.record({
      by: fc.nat({ max: 1 }),
      id: fc.constantFrom('a', 'b'),
      gap: fc.constantFrom(0, 0, 0, 1, -1),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 15 }), async (ops) => {
        const round = `r${count++}`;
        const model = new Map<string, { body: JsonObject; version: number }>();
        for (const [at, { by, id, gap }] of ops.entries()) {
          const name = `${round}-${id}`;
          const known = model.get(name)?.version ?? 0;
          const { sessions } = writers[by] as (typeof writers)[number];
          const saving = sessions.save(name, { at }, known + gap);
          if (gap !== 0) await expect(saving).rejects.toMatchObject(conflict);
          else {
            expect(await saving).toBe(known + 1);
            model.set(name, { body: { at }, version: known + 1 });
          }
          expect(await writers[1 - by]?.sessions.load(name)).toEqual(model.get(name));
        }
      }),
      { numRuns: runs(25) },
    );
  });
});
