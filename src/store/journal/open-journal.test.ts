/** The journal of a store, on both databases. */

import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chainStart, verifyExport, type JournalEntry } from 'bridle/journal';
import { allowAll } from 'bridle';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { allOf, detailsIn, journalOn, noteOf, settledOf, statusesIn, Wire } from '../../../test/rigs/journal-rig.ts';
import { rig as guardRig } from '../../../test/rigs/guard-rig.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import type { Database } from '../database/database.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const appendAll = (journal: { append(entry: JournalEntry): Promise<void> }, details: readonly unknown[]) =>
  Promise.all(details.map((detail) => journal.append(noteOf(detail))));

const rename = (database: Database, from: string, to: string) =>
  database.write((transaction) => transaction.run(`ALTER TABLE ${from} RENAME TO ${to}`));

describeStores('a stored journal', (rig) => {
  it(proves('R01', 'Q05')('stores entries in order and chained when an append has resolved'), async () => {
    const journal = await journalOn(rig);
    for (const detail of ['a', { b: [1] }, 'ü\u0000\ud800\u202e']) {
      await journal.append(noteOf(detail));
      const other = await journalOn(rig);
      expect((await detailsIn(other.read())).at(-1)).toEqual(detail);
    }
    const records = await allOf(journal.read());
    expect(records.map(({ seq }) => seq)).toEqual([0, 1, 2]);
    expect(records.map(({ prev }) => prev)).toEqual([chainStart, records[0]?.hash, records[1]?.hash]);
    expect(await journal.head()).toEqual({ count: 3, hash: records[2]?.hash });
    expect(await journal.verify()).toMatchObject({ ok: true, count: 3, head: records[2]?.hash });
  });

  it(proves('R01', 'R09')('that is empty is valid, and matches only the start head'), async () => {
    const journal = await journalOn(rig);
    expect(await journal.head()).toEqual({ count: 0, hash: chainStart });
    expect(await journal.verify({ head: chainStart })).toMatchObject({ ok: true, count: 0, signed: 0 });
    expect(await journal.verify({ head: 'f'.repeat(64) })).toMatchObject({ ok: false, at: 0 });
    expect(await journal.checkpoint()).toBeUndefined();
    expect(await allOf(journal.lines())).toEqual([]);
    const { signal } = new AbortController();
    expect(await allOf(journal.tail(5, { signal, follow: false }))).toEqual([]);
  });

  it(proves('R01')('writes entries that arrive together in bounded batches'), async () => {
    const wire = new Wire();
    const journal = await journalOn(rig, { wrap: wire.wrap });
    await appendAll(journal, numbers(900));
    expect(wire.writes).toBe(1);
    await appendAll(journal, numbers(2_500));
    expect(wire.writes).toBe(1 + 3);
    await appendAll(journal, Array(4).fill('x'.repeat(3 * 1024 * 1024)));
    expect(wire.writes).toBe(1 + 3 + 4);
    expect(await detailsIn(journal.read({ limit: 3_400 }))).toEqual([...numbers(900), ...numbers(2_500)]);
    expect(await journal.verify()).toMatchObject({ ok: true, count: 3_404, checkpoints: 3, signed: 3_000 });
  });

  it(proves('R01')('puts entries that arrive during a write into the next one'), async () => {
    const wire = new Wire();
    const journal = await journalOn(rig, { wrap: wire.wrap });
    const letGo = wire.hold();
    const first = journal.append(noteOf('first'));
    while (wire.writes === 0) await new Promise(setImmediate);
    const rest = appendAll(journal, numbers(50));
    letGo();
    await Promise.all([first, rest]);
    expect(wire.writes).toBeLessThanOrEqual(2);
    expect(await detailsIn(journal.read())).toEqual(['first', ...numbers(50)]);
  });

  it(proves('R01')('keeps an entry as it was when it was appended'), async () => {
    const journal = await journalOn(rig);
    const detail = { list: [1] };
    const appended = journal.append(noteOf(detail));
    detail.list.push(2);
    await appended;
    expect(await detailsIn(journal.read())).toEqual([{ list: [1] }]);
  });

  it(proves('R01')('has one chain per namespace, isolated from the others'), async () => {
    const [one, two] = [await journalOn(rig, { namespace: 'one' }), await journalOn(rig, { namespace: 'two' })];
    await appendAll(one, ['a', 'b']);
    await appendAll(two, ['c']);
    expect(await detailsIn(one.read())).toEqual(['a', 'b']);
    expect(await detailsIn(two.read())).toEqual(['c']);
    expect((await two.checkpoint())?.namespace).toBe('two');
    expect(await one.checkpoints()).toEqual([]);
    expect(await one.verify()).toMatchObject({ ok: true, count: 2 });
  });

  it(proves('R01')('can be read from any record up to a limit'), async () => {
    const journal = await journalOn(rig);
    await appendAll(journal, numbers(120));
    expect(await detailsIn(journal.read({ from: 100 }))).toEqual(numbers(120).slice(100));
    expect(await detailsIn(journal.read({ from: 5, limit: 3 }))).toEqual([5, 6, 7]);
    expect(await detailsIn(journal.read({ from: 500 }))).toEqual([]);
    const [sixth] = await allOf(journal.read({ from: 5, limit: 1 }));
    expect(sixth?.prev).toBe((await allOf(journal.read({ from: 4, limit: 1 })))[0]?.hash);
  });

  it(proves('R09')('finds the records of a call by any id'), async () => {
    const journal = await journalOn(rig);
    const ids = ['plain', 'PLAIN', '50%', 'a_b', 'axb', String.raw`back\slash`, '"quoted"', 'plain', '%'];
    for (const id of ids) await journal.append(settledOf(id));
    await journal.append(noteOf({ call: 'plain', nested: '"call":"plain"' }));
    for (const id of new Set(ids)) {
      const found = await allOf(journal.ofCall(id));
      expect([id, found.map(({ seq }) => seq)]).toEqual([id, ids.flatMap((each, at) => (each === id ? [at] : []))]);
    }
    expect(await allOf(journal.ofCall('nobody'))).toEqual([]);
  });
});

describeStores('an append that fails', (rig) => {
  it(proves('G10')('rejects every entry of its write, and the next write starts from the database'), async () => {
    const [journal, other] = [await journalOn(rig), await journalOn(rig)];
    await appendAll(journal, ['a']);
    await rename(other.database, 'bridle_journal', 'bridle_elsewhere');
    const settled = await Promise.allSettled(['b', 'c'].map((detail) => journal.append(noteOf(detail))));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await rename(other.database, 'bridle_elsewhere', 'bridle_journal');
    await appendAll(other, ['d']);
    await appendAll(journal, ['e']);
    expect(await detailsIn(journal.read())).toEqual(['a', 'd', 'e']);
    expect(await journal.verify()).toMatchObject({ ok: true, count: 3 });
  });

  it(proves('G10')('leaves the journal intact if an entry is not JSON'), async () => {
    const journal = await journalOn(rig);
    const settled = await Promise.allSettled([1, 2n, 3].map((detail) => journal.append(noteOf(detail))));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await detailsIn(journal.read())).toEqual([1, 3]);
  });

  it(
    proves('G10')('is recorded once when it is tried again, whether the question was lost or the answer'),
    async () => {
      const wire = new Wire();
      const journal = await journalOn(rig, { wrap: wire.wrap });
      const other = await journalOn(rig);
      const entries = numbers(6).map(noteOf);
      const tryAll = () => Promise.allSettled(entries.map((entry) => journal.append(entry)));
      for (const lose of ['question', 'answer', 'answer', 'question', 'answer'] as const) {
        wire.lose = lose;
        expect((await tryAll()).every(({ status }) => status === 'rejected')).toBe(true);
        await appendAll(other, [lose]);
      }
      wire.lose = 'nothing';
      expect((await tryAll()).every(({ status }) => status === 'fulfilled')).toBe(true);
      const details = await detailsIn(journal.read());
      expect(details).toEqual(['question', ...numbers(6), 'answer', 'answer', 'question', 'answer']);
      expect(await journal.verify()).toMatchObject({ ok: true });
    },
  );

  it(proves('G10')('and is retried while it still waits is recorded once'), async () => {
    const wire = new Wire();
    const journal = await journalOn(rig, { wrap: wire.wrap });
    const letGo = wire.hold();
    const [first, late] = [noteOf('first'), noteOf('late')];
    const append = (entry: JournalEntry) => journal.append(entry);
    const rest = numbers(1_500).map(noteOf);
    const all = [first, ...rest, late, first, late].map(append);
    await new Promise(setImmediate);
    all.push(...[first, late].map(append));
    letGo();
    await Promise.all(all);
    expect(await detailsIn(journal.read())).toEqual(['first', ...numbers(1_500), 'late']);
  });

  it(proves('G10')('by timeout blocks the call, and is recorded at most once'), async () => {
    const wire = new Wire();
    const journal = await journalOn(rig, { wrap: wire.wrap });
    const letGo = wire.hold();
    const ran: string[] = [];
    const rigged = await guardRig({ policy: allowAll(), journal, does: { act: () => ran.push('act') } });
    const pending = rigged.call('act');
    await rigged.clock.advance(70_000);
    expect(await pending).toMatchObject({ type: 'denied', reason: expect.stringContaining('did not answer') });
    letGo();
    await journal.close();
    expect(ran).toEqual([]);
    const statuses = await statusesIn(journal.read());
    expect(statuses.filter((status) => status === 'allowed').length).toBeLessThanOrEqual(1);
    expect(await journal.verify()).toMatchObject({ ok: true });
  });

  it(proves('G10')('is not recorded twice if a timed-out write succeeds after all'), async () => {
    const wire = new Wire();
    const journal = await journalOn(rig, { wrap: wire.wrap });
    const held: (() => void)[] = [];
    const act = () => void (held.length > 0 || held.push(wire.hold()));
    const rigged = await guardRig({ policy: allowAll(), journal, does: { act } });
    const first = rigged.call('act');
    while (held.length === 0) await new Promise(setImmediate);
    await new Promise(setImmediate);
    await rigged.clock.advance(70_000);
    expect(await first).toMatchObject({ type: 'ok' });
    // The next call retries the missing entry while it is still being written.
    const second = rigged.call('act');
    await new Promise(setImmediate);
    held[0]?.();
    expect(await second).toMatchObject({ type: 'ok' });
    await rigged.session.end();
    expect(await statusesIn(journal.read())).toEqual(['allowed', 'ok', 'allowed', 'ok']);
  });

  it(
    proves('G10')('says so where the database does not keep up, instead of holding everything in memory'),
    async () => {
      const wire = new Wire();
      const journal = await journalOn(rig, { wrap: wire.wrap });
      const letGo = wire.hold();
      wire.lose = 'question';
      const large = 'x'.repeat(17 * 1024 * 1024);
      const settled = Promise.allSettled(numbers(8).map(() => journal.append(noteOf(large))));
      await expect(journal.append(noteOf(large))).rejects.toMatchObject({ code: 'STORE_FAILED' });
      letGo();
      await settled;
      wire.lose = 'nothing';
      await journal.append(noteOf('small'));
      expect(await detailsIn(journal.read())).toEqual(['small']);
    },
  );

  it(proves('G10', 'R04')('because the end was truncated fails from then on'), async () => {
    const [journal, other] = [await journalOn(rig), await journalOn(rig)];
    await appendAll(journal, ['a', 'b', 'c']);
    await other.database.run('DELETE FROM bridle_journal WHERE seq = 2');
    await expect(journal.append(noteOf('d'))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(other.append(noteOf('e'))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(journal.append(noteOf('d'))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(await detailsIn(journal.read())).toEqual(['a', 'b']);
  });

  it(proves('G10')('for lack of a signing key fails from the first entry on'), async () => {
    const made = await rig.parts();
    made.keys.journalKey();
    chmodSync(join(rig.keys, 'journal.key'), 0o644);
    const journal = await journalOn(rig);
    await expect(journal.append(noteOf('a'))).rejects.toMatchObject({ code: 'STORE_KEYS' });
    expect(await journal.head()).toMatchObject({ count: 0 });
  });

  it(proves('G10')('to a closed journal is refused; closing twice is safe'), async () => {
    const journal = await journalOn(rig);
    const last = journal.append(noteOf('last'));
    await Promise.all([journal.close(), journal.close()]);
    await last;
    await expect(journal.append(noteOf('late'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await journal.checkpoints()).toMatchObject([{ count: 1 }]);
  });
});

describeStores('checkpoints', (rig) => {
  it(
    proves('Q05')('are made after every thousand records and at the end, signed with namespace and time'),
    async () => {
      const journal = await journalOn(rig, { clock: () => 77, namespace: 'team' });
      await appendAll(journal, numbers(2_100));
      await journal.close();
      const checkpoints = await journal.checkpoints();
      expect(checkpoints).toMatchObject([1_000, 2_000, 2_100].map((count) => ({ count, at: 77, namespace: 'team' })));
      const records = await allOf(journal.read());
      expect(checkpoints.map(({ hash }) => hash)).toEqual([999, 1_999, 2_099].map((at) => records[at]?.hash));
      expect(await journal.verify()).toMatchObject({ ok: true, checkpoints: 3, signed: 2_100 });
    },
  );

  it(proves('Q05')('are made once per end, by writers and not by readers'), async () => {
    const [one, two, reader] = [await journalOn(rig), await journalOn(rig), await journalOn(rig)];
    await one.append(noteOf('a'));
    expect(await one.checkpoint()).toEqual(await two.checkpoint());
    await allOf(reader.read());
    await reader.close();
    await one.close();
    await two.close();
    expect(await one.checkpoints()).toMatchObject([{ count: 1 }]);
  });

  it(proves('Q05', 'R09')('of an unknown key are a fault until the key is trusted'), async () => {
    const journal = await journalOn(rig);
    await journal.append(noteOf('a'));
    await journal.close();
    const keys = `${rig.keys}-of-another`;
    mkdirSync(keys, { mode: 0o700 });
    copyFileSync(join(rig.keys, 'store.secret'), join(keys, 'store.secret'));
    const stranger = await journalOn(rig, { keys });
    const found = await stranger.verify();
    expect(found).toMatchObject({ ok: false, problem: expect.stringContaining('signed with an unknown key') });
    const parts = await rig.parts();
    expect(await stranger.verify({ keys: parts.keys.journalKeys() })).toMatchObject({ ok: true, signed: 1 });
  });

  it(proves('R09')('follow the records they cover in an export, and are verified there'), async () => {
    const journal = await journalOn(rig);
    await appendAll(journal, numbers(1_005));
    await journal.close();
    const lines = await allOf(journal.lines());
    expect(lines).toHaveLength(1_007);
    expect([lines[1_000], lines[1_006]].map((line) => Object.keys(JSON.parse(line ?? '') as object))).toEqual([
      ['checkpoint'],
      ['checkpoint'],
    ]);
    const { keys } = await rig.parts();
    const { hash: head } = await journal.head();
    expect(await verifyExport(lines, { keys: keys.journalKeys(), head, mustBeSigned: true })).toEqual({
      ok: true,
      count: 1_005,
      head,
      checkpoints: 2,
      signed: 1_005,
    });
    expect(await allOf(journal.lines({ from: 1_000 }))).toEqual(lines.slice(1_001));
  });
});

describeStores('a tail', (rig) => {
  it(proves('R09')('yields the last records, then new ones from any process'), async () => {
    const [journal, other] = [await journalOn(rig), await journalOn(rig)];
    await appendAll(journal, numbers(20));
    const controller = new AbortController();
    const { signal } = controller;
    expect(await detailsIn(journal.tail(3, { signal, follow: false }))).toEqual([17, 18, 19]);
    const seen: unknown[] = [];
    for await (const { text } of journal.tail(2, { signal, follow: true })) {
      seen.push((JSON.parse(text) as { detail: unknown }).detail);
      if (seen.length === 2) void other.append(noteOf('from another process'));
      if (seen.length === 3) void journal.append(noteOf('from this one'));
      if (seen.length === 4) controller.abort();
    }
    expect(seen).toEqual([18, 19, 'from another process', 'from this one']);
  });

  it(proves('R09')('ends immediately when aborted while idle'), async () => {
    const journal = await journalOn(rig);
    const controller = new AbortController();
    const tail = allOf(journal.tail(5, { signal: controller.signal, follow: true }));
    await new Promise(setImmediate);
    controller.abort();
    expect(await tail).toEqual([]);
  });
});
