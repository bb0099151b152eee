/** What a durable record costs: alone and among many, in the path of a guarded call, and after a million others. */

import { guardPath } from '../journal/guard-path.mjs';
import { longJournal } from '../journal/long-journal.mjs';
import { compare, perPart, toRow } from '../measure.mjs';
import { makeEntries, turning } from '../stores/entries.mjs';
import { storePace } from '../stores/pace.mjs';
import { withScratch } from '../stores/scratch.mjs';
import { load } from '../dist.mjs';

const { openStore } = await load('store/index.js');
const { maskSecrets } = await load('journal/index.js');

const durabilities = ['full', 'process'];
const sizes = { '1 at a time': 1, '100 at once': 100, '1,000 at once': 1000 };

export async function run(pace, emit) {
  const entries = await makeEntries(4000);
  await withScratch(pace, async (scratch) => {
    await warmUp(scratch, turning(entries), pace.name === 'smoke' ? 1 : 40);
    const settings = [['', 'driver, and how commits are synced']];
    const rates = [['records per second', 'bridle', 'raw', 'bridle/raw', 'raw, bare table']];
    for (const kind of scratch.kinds) {
      for (const durability of durabilities) {
        const about = { scratch, kind, durability, pace: storePace(pace), next: turning(entries) };
        settings.push([`${kind} ${durability}`, await records(about, emit, rates)]);
      }
    }
    await guardPath({ scratch, pace: storePace(pace) }, emit);
    await longJournal({ scratch, pace, next: turning(entries) }, emit);
    emit({ suite: 'journal', case: 'records per second', table: rates });
    emit({ suite: 'journal', case: 'settings', table: settings });
  });
}

/** The path of a record is compiled little by little: tens of thousands of them are taken first. */
async function warmUp(scratch, next, rounds) {
  const store = await openStore(scratch.place('sqlite', 'process'));
  const raw = await scratch.raw('sqlite', { durability: 'process' });
  const mask = maskSecrets({ key: store.keys.secret('masks') });
  for (let i = 0; i < rounds; i++) {
    await Promise.all(Array.from({ length: 1000 }, () => store.journal.append(mask(next()))));
    await raw.keep(Array.from({ length: 1000 }, () => JSON.stringify(next())));
  }
  for (const each of [raw, store]) await each.close();
}

/** Measures one database with one durability; tells how it syncs. */
async function records({ scratch, kind, durability, pace, next }, emit, rates) {
  const place = scratch.place(kind, durability);
  const store = await openStore(place);
  const [raw, bare] = await Promise.all(['same', 'bare'].map((shape) => scratch.raw(kind, { durability, shape })));
  const mask = maskSecrets({ key: store.keys.secret('masks') });
  // As the guard hands entries on; the raw contestants get the same ones, and make texts of them.
  const append = () => store.journal.append(mask(next()));
  const keep = (table, size) => table.keep(Array.from({ length: size }, () => JSON.stringify(next())));
  if (pace.name !== 'smoke') await grow([append, () => keep(raw, 1), () => keep(bare, 1)]);
  for (const [title, size] of Object.entries(sizes)) {
    const results = await compare(
      [
        { name: 'bridle', call: () => (size === 1 ? append() : Promise.all(Array.from({ length: size }, append))) },
        { name: 'limit', call: () => keep(raw, size) },
        { name: 'bare', call: () => keep(bare, size) },
      ],
      pace,
    );
    const [ours, limit, bareTable] = results.map(({ ns }) => (1e9 * size) / ns);
    const name = `${kind} ${durability}, ${title}`;
    rates.push([name, whole(ours), whole(limit), (ours / limit).toFixed(2), whole(bareTable)]);
    emit(perPart(toRow('journal', name, results.slice(0, 2)), size));
  }
  const verified = await store.journal.verify();
  if (!verified.ok) throw new Error(`the journal is not whole: ${verified.problem}`);
  for (const each of [raw, bare, store]) await each.close();
  return scratch.settings(kind, durability, place.at);
}

/** A log that grows for the first time is dearer to sync than one that is written over. */
async function grow(contestants) {
  for (const one of contestants) for (let i = 0; i < 300; i++) await one();
}

const whole = (rate) => Math.round(rate).toLocaleString('en');
