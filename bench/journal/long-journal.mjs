/** Whether the last records of a long journal cost what the first ones cost, and what it takes to verify one. */

import { quantile, toRow } from '../measure.mjs';
import { load } from '../dist.mjs';

const { maskSecrets } = await load('journal/index.js');
const { openStore } = await load('store/index.js');

const burst = 1000;
const block = 10_000;
const page = 1000;

/** A quick run takes a tenth, and a smoke run a hundredth. */
export async function longJournal({ scratch, pace, next }, emit) {
  const total = { full: 1_000_000, quick: 100_000, smoke: 10_000 }[pace.name];
  const store = await openStore(scratch.place('sqlite'));
  const raw = await scratch.raw('sqlite');
  const mask = maskSecrets({ key: store.keys.secret('masks') });
  const append = () => store.journal.append(mask(next()));
  const ours = await fill(total, () => Promise.all(Array.from({ length: burst }, append)));
  const limit = await fill(total, () => raw.keep(Array.from({ length: burst }, () => JSON.stringify(next()))));
  const size = `of ${total.toLocaleString('en')}`;
  for (const part of ['first', 'last']) {
    const results = [
      { name: 'bridle', ...ours[part] },
      { name: 'limit', ...limit[part] },
    ];
    emit(toRow('journal', `${part} 10,000 ${size}`, results));
  }
  const results = [
    { name: 'bridle', ns: await perRecord(total, () => verify(store, total)) },
    { name: 'limit', ns: await perRecord(total, () => raw.readAll(page)) },
  ];
  emit(toRow('journal', `verify, 1 ${size}`, results));
  for (const each of [store, raw]) await each.close();
}

/** The first and the last ten thousand. */
async function fill(total, call) {
  const samples = [];
  for (let i = 0; i < total / burst; i++) samples.push((await timed(call)) / burst);
  const blocks = block / burst;
  return { first: summary(samples.slice(0, blocks)), last: summary(samples.slice(-blocks)) };
}

/** The mean: the log is merged now and then, and that belongs to the cost. */
function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const ns = samples.reduce((sum, each) => sum + each, 0) / samples.length;
  return { ns, p25: quantile(sorted, 0.25), p75: quantile(sorted, 0.75) };
}

async function verify(store, total) {
  const verified = await store.journal.verify();
  if (!verified.ok || verified.count !== total) throw new Error(`not verified: ${JSON.stringify(verified)}`);
}

async function perRecord(total, work) {
  return (await timed(work)) / total;
}

async function timed(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start);
}
