/** Verification detects every modification of a journal. A second, naive verifier says what it must find. */

import type { KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import {
  anyMutation,
  mustBeFound,
  mutate,
  mutationKinds,
  type JournalState,
} from '../../../test/rigs/journal-mutations.ts';
import { allOf, journalOn, noteOf } from '../../../test/rigs/journal-rig.ts';
import { runs } from '../../../test/property-runs.ts';
import { isWhole } from '../../../test/reference/journal.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import type { Database, SqlValue } from '../database/database.ts';

interface Sample {
  readonly journal: Awaited<ReturnType<typeof journalOn>>;
  readonly state: JournalState;
  readonly head: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
  /** Replaces all rows and returns the expected result. */
  readonly expectSame: (state: JournalState) => Promise<boolean>;
}

/** A journal with checkpoints after the given numbers of records, in addition to its own. */
async function sample(rig: StoreRig, stops: readonly number[]): Promise<Sample> {
  const journal = await journalOn(rig);
  let count = 0;
  for (const stop of stops) {
    const details = Array.from({ length: stop - count }, () => count++);
    await Promise.all(details.map((detail) => journal.append(noteOf(detail))));
    await journal.checkpoint();
  }
  await Promise.all(['after', 'the', 'last'].map((detail) => journal.append(noteOf(detail))));
  const { hash: head } = await journal.head();
  const rows = (await allOf(journal.read())).map(({ seq, hash, text }) => ({ seq, hash, text }));
  const state = { rows, checkpoints: await journal.checkpoints(), seal: await sealIn(journal.database) };
  const { keys: ring } = await rig.parts();
  const keys = new Map(ring.journalKeys().map(({ id, publicKey }) => [id, publicKey]));
  const expectSame = async (changed: JournalState) => {
    await replaceAll(journal.database, changed);
    const reference = { ...changed, namespace: 'default', keys, secret: ring.secret('rows') };
    const [plain, withHead] = [await journal.verify(), await journal.verify({ head })];
    expect([plain.ok, withHead.ok]).toEqual([isWhole(reference), isWhole({ ...reference, head })]);
    if (!plain.ok) expect(plain.problem).not.toBe('');
    return withHead.ok;
  };
  return { journal, state, head, keys, expectSame };
}

async function sealIn(database: Database): Promise<JournalState['seal']> {
  const [row] = await database.all('SELECT body, mac FROM bridle_journal_heads');
  return row && { body: String(row['body']), mac: String(row['mac']) };
}

function replaceAll(database: Database, { rows, checkpoints, seal }: JournalState): Promise<void> {
  return database.write(async (transaction) => {
    await transaction.run('DELETE FROM bridle_journal');
    await transaction.run('DELETE FROM bridle_journal_checkpoints');
    await transaction.run('DELETE FROM bridle_journal_heads');
    if (seal !== undefined) {
      await transaction.run(`INSERT INTO bridle_journal_heads (namespace, body, mac) VALUES ${marks(1, 3)}`, [
        'default',
        seal.body,
        seal.mac,
      ]);
    }
    for (let at = 0; at < rows.length; at += 200) {
      const part = rows.slice(at, at + 200);
      const values = part.flatMap(({ seq, hash, text }): SqlValue[] => ['default', seq, hash, text]);
      await transaction.run(
        `INSERT INTO bridle_journal (namespace, seq, hash, text) VALUES ${marks(part.length, 4)}`,
        values,
      );
    }
    for (const { namespace, count, hash, at, key, signature } of checkpoints) {
      await transaction.run(
        `INSERT INTO bridle_journal_checkpoints (namespace, count, hash, at, key, signature) VALUES ${marks(1, 6)}`,
        [namespace, count, hash, at, key, signature],
      );
    }
  });
}

function marks(rows: number, columns: number): string {
  return Array(rows)
    .fill(`(${Array(columns).fill('?').join(', ')})`)
    .join(', ');
}

describeStores('verifying a journal', (rig) => {
  it(
    proves('R09', 'Q05', 'R04')('finds what was done to it, and only that'),
    async () => {
      const { state, expectSame } = await sample(rig, [10, 25, 40]);
      expect(await expectSame(state)).toBe(true);
      await fc.assert(
        fc.asyncProperty(fc.array(anyMutation, { minLength: 1, maxLength: 2 }), async (done) => {
          const changed = done.reduce(mutate, state);
          const isSame = JSON.stringify(changed) === JSON.stringify(state);
          const passes = await expectSame(changed);
          if (done.length === 1 && !isSame && mustBeFound(done[0]?.kind ?? '')) expect(passes).toBe(false);
        }),
        { numRuns: runs(120) },
      );
    },
    60_000,
  );

  it(
    proves(
      'R09',
      'Q05',
    )('finds a forgery by who has no key in every full segment, whatever becomes of the checkpoints'),
    async () => {
      const { state, expectSame } = await sample(rig, [1_500, 2_000]);
      expect(state.checkpoints.map(({ count }) => count)).toEqual([1_000, 1_500, 2_000]);
      for (const [at, kind] of mutationKinds.entries()) {
        const changed = mutate(state, { kind, place: { a: 700 + at, b: 3 } });
        expect(changed).not.toEqual(state);
        const passes = await expectSame(changed);
        // A checkpoint in the middle may be missing: the one after it covers the same records.
        if (kind !== 'a checkpoint taken away') expect([kind, passes]).toEqual([kind, false]);
      }
      const unsigned = { ...state, checkpoints: [] };
      expect(await expectSame(unsigned)).toBe(false);
    },
    60_000,
  );

  it(proves('R09')('detects a rolled-back store by a head saved elsewhere'), async () => {
    const journal = await journalOn(rig);
    const { database } = journal;
    const days: JournalState[] = [];
    for (let at = 0; at < 8; at++) {
      await journal.append(noteOf(at));
      const rows = (await allOf(journal.read())).map(({ seq, hash, text }) => ({ seq, hash, text }));
      days.push({ rows, checkpoints: [], seal: await sealIn(database) });
    }
    const { rows } = days.at(-1) as JournalState;
    for (const [at, row] of rows.entries()) {
      expect(await journal.verify({ head: row.hash })).toMatchObject({ ok: true });
      if (at === 0) continue;
      await replaceAll(database, days[at - 1] as JournalState);
      expect(await journal.verify()).toMatchObject({ ok: true, count: at });
      expect(await journal.verify({ head: row.hash })).toMatchObject({
        ok: false,
        at,
        problem: 'the journal does not contain the given head; its end may have been cut off',
      });
      await replaceAll(database, days.at(-1) as JournalState);
    }
  });

  it(proves('R09')('detects a rewritten journal without checkpoints, and refuses to append to it'), async () => {
    const { journal, state, expectSame } = await sample(rig, [5]);
    const kinds = [
      'one forged, with nothing signed or sealed',
      'one forged, everything sealed anew',
      'the end cut off',
    ];
    for (const kind of kinds) {
      const changed = { ...mutate(state, { kind, place: { a: 3, b: 0 } }), checkpoints: [] };
      expect([kind, await expectSame(changed)]).toEqual([kind, false]);
      const later = await journalOn(rig);
      await expect(later.append(noteOf('after it'))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      await expect(later.checkpoint()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
    await replaceAll(journal.database, { rows: [], checkpoints: [], seal: state.seal });
    expect(await journal.verify()).toMatchObject({
      ok: false,
      at: 0,
      problem: 'this is not the original end: it was sealed after 8 records, but ends after 0',
    });
  });

  it(proves('R09')('says where, and that a rehashed record may be the one before'), async () => {
    const { journal, state, expectSame } = await sample(rig, [5]);
    const says = async (kind: string, a: number) => {
      await expectSame(mutate(state, { kind, place: { a, b: 0 } }));
      const found = await journal.verify();
      return found.ok ? undefined : found.problem;
    };
    expect(await says('a text changed', 3)).toBe('record 3 was changed, or record 2 was');
    expect(await says('a text changed', 0)).toBe('record 0 was changed');
    expect(await says('one deleted before the end', 3)).toBe('record 3 is missing or out of order: found 4');
    expect(await says('one forged, everything sealed anew', 2)).toBe(
      'the checkpoint after 5 records belongs to other records',
    );
    expect(await says('the end cut off', 3)).toBe('the journal ends here, but there is a checkpoint after 5 records');
  });

  it(proves('R04', 'R09')('detects rows Bridle cannot have written, and returns none of them'), async () => {
    const { journal, state } = await sample(rig, [5]);
    const [first] = state.rows;
    const odd: Readonly<Record<string, string>> = {
      'a line break': `text = '{"a":1}\n{"b":2}'`,
      'no entry': `text = 'hello'`,
      'no hash': `hash = 'hello'`,
      'a hash in capitals': `hash = '${first?.hash.toUpperCase()}'`,
    };
    for (const [name, change] of Object.entries(odd)) {
      await replaceAll(journal.database, state);
      await journal.database.run(`UPDATE bridle_journal SET ${change} WHERE seq = 2`);
      expect([name, await journal.verify()]).toEqual([
        name,
        { ok: false, at: 2, problem: 'Record 2 in the journal of "default" is damaged or was modified.' },
      ]);
      await expect(allOf(journal.lines())).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
    await replaceAll(journal.database, { ...state, checkpoints: [] });
    await journal.database.run(`UPDATE bridle_journal SET hash = 'x' WHERE seq = 7`);
    const later = await journalOn(rig);
    await expect(later.append(noteOf('after it'))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  it(proves('R09')('is not misled by concurrent writes'), async () => {
    const [journal, writer] = [await journalOn(rig), await journalOn(rig)];
    await Promise.all(Array.from({ length: 900 }, (_, at) => writer.append(noteOf(at))));
    const work = { isOver: false };
    const writing = (async () => {
      for (let at = 0; at < 600; at += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, each) => writer.append(noteOf(at + each))));
        if (at % 200 === 0) await writer.checkpoint();
      }
      work.isOver = true;
    })();
    do expect(await journal.verify()).toMatchObject({ ok: true });
    while (!work.isOver);
    await writing;
    expect(await journal.verify()).toMatchObject({ ok: true, count: 1_500 });
  });
});
