/** How long it takes from an answer, given in one process, until the process that waits for it goes on. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, toRow } from '../measure.mjs';
import { PeerProcess } from '../stores/peer-process.mjs';
import { withScratch } from '../stores/scratch.mjs';

/** People take their time: by then a process that looks for answers looks as seldom as it ever does. */
const thinkMs = { least: 500, most: 700 };

export async function run(pace, emit) {
  const count = { full: 100, quick: 12, smoke: 2 }[pace.name];
  await withScratch(pace, async (scratch) => {
    for (const kind of scratch.kinds) {
      const samples = await measure(scratch, kind, count);
      for (const [title, part] of Object.entries({ woken: 'woken', 'the tool runs': 'ran' })) {
        for (const [name, q] of Object.entries({ p50: 0.5, p95: 0.95 })) {
          const results = [
            { name: 'bridle', ns: quantile(sorted(samples.bridle.map((each) => each[part] - each.given)), q) },
            { name: 'limit', ns: quantile(sorted(samples.limit.map((each) => each.woken - each.given)), q) },
          ];
          emit(toRow('approvals', `${kind}, ${title}, ${name}`, results));
        }
      }
    }
  });
}

const sorted = (samples) => samples.toSorted((a, b) => a - b);

async function measure(scratch, kind, count) {
  const raw = kind === 'postgres' ? scratch.url : join(scratch.folder, 'raw-answers.db');
  const order = JSON.stringify({ place: scratch.place(kind), raw });
  const started = [];
  const start = async (name) => {
    const process = new PeerProcess(new URL(`../approvals/${name}.mjs`, import.meta.url), [order]);
    started.push(process);
    await process.next('ready');
    return process;
  };
  try {
    // One after the other: two processes that switch a new SQLite file to WAL at once get in each other's way.
    const waiter = await start('waiter');
    const answerer = await start('answerer');
    const samples = { bridle: [], limit: [] };
    for (let i = 0; i < count; i++) {
      samples.bridle.push(await once(waiter, answerer, 'bridle'));
      samples.limit.push(await once(waiter, answerer, 'limit'));
    }
    return samples;
  } finally {
    for (const each of started) await each.stop();
  }
}

/** One question and its answer. */
async function once(waiter, answerer, who) {
  const asked = who === 'bridle' ? waiter.next('asked') : { id: randomUUID() };
  const waiting = waiter.ask(who, who === 'bridle' ? {} : asked);
  const { id } = await asked;
  await sleep(thinkMs.least + Math.random() * (thinkMs.most - thinkMs.least));
  const given = await answerer.ask(who, { id });
  return { ...given, ...(await waiting) };
}
