/** Runs per second of a fleet: all are queued at once, and the clock stops when the last one has ended. */

import { blaming, toRow } from '../measure.mjs';
import { now, PeerProcess } from '../stores/peer-process.mjs';

const script = new URL('fleet-worker.mjs', import.meta.url);
/** The same for both. */
const limits = { concurrency: 10, pollMs: 100 };

export async function fleetRow({ scratch, tool, workers, runs, limit }) {
  const order = { ...limits, tool, place: scratch.place('postgres'), url: scratch.url };
  const results = [];
  for (const name of ['bridle', 'dbos']) {
    results.push({ name, ns: await blaming(name, () => perRun({ ...order, name }, workers, runs)) });
  }
  results.push({ name: 'limit', ns: limit });
  return toRow('runs', `fleet, ${workers} ${workers === 1 ? 'worker' : 'workers'}, 1 run`, results);
}

async function perRun(order, count, runs) {
  const workers = [];
  try {
    // One after the other: two that make the tables of DBOS at once get in each other's way.
    for (let i = 0; i < count; i++) {
      const worker = new PeerProcess(script, [JSON.stringify(order)]);
      workers.push(worker);
      await worker.next('ready');
    }
    // Code is loaded and compiled, and connections are made, before the time is taken.
    await spent(workers, count * 5);
    return (await spent(workers, runs)) / runs;
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

async function spent(workers, runs) {
  const start = now();
  const done = untilEnded(workers, runs);
  await Promise.all([workers[0].ask('queue', { count: runs }), done]);
  return now() - start;
}

function untilEnded(workers, runs) {
  let left = runs;
  return new Promise((resolve, reject) => {
    const onEnded = () => {
      if (--left > 0) return;
      for (const worker of workers) worker.off('ended', onEnded);
      resolve();
    };
    for (const worker of workers) {
      worker.on('ended', onEnded);
      for (const type of ['failed', 'gone']) worker.once(type, ({ error }) => reject(new Error(error)));
    }
  });
}
