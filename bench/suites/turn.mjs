/** What a turn of an agent costs whose model answers at once: time, bytes, over a long session, and while idle. */

import { blaming, compareRunners, toRow } from '../measure.mjs';
import { cases } from '../turn/script.mjs';
import { askOnce, RemoteRunner, Worker } from '../turn/worker-process.mjs';

/** The names of the report and the files in `agents/`. */
const agents = {
  bridle: 'bridle',
  limit: 'by-hand-guarded',
  'limit unguarded': 'by-hand',
  adk: 'adk',
  ai: 'ai',
  strands: 'strands',
  'openai agents': 'openai',
  langchain: 'langchain',
};

const names = Object.keys(agents);
const sizes = {
  full: { turns: 1_000, block: 100, idleSessions: 1_000, coldTurns: 50, coldProcesses: 3 },
  quick: { turns: 1_000, block: 100, idleSessions: 1_000, coldTurns: 50, coldProcesses: 1 },
  smoke: { turns: 20, block: 10, idleSessions: 10, coldTurns: 2, coldProcesses: 1 },
};

/** A young generation of 512 MB, and no code thrown away by the forced collections. */
const bytesFlags = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512', '--no-flush-bytecode'];

export async function run(pace, emit) {
  await times(pace, emit);
  await bytes(pace, emit);
  for (const inBytes of [false, true]) await longSession(inBytes, pace, emit);
  for (const title of ['1 call', '20 calls']) emit(await newProcess(title, pace));
  emit(bytesRow('idle session, bytes', await askAll((name) => idle(name, pace))));
}

const bytesRow = (title, results) => ({ ...toRow('turn', title, results), unit: 'bytes' });

/** A turn is a long path: all of it is compiled only after thousands of turns. */
const warmUpMs = ({ name, warmMs }) => (name === 'smoke' ? 1 : Math.max(warmMs * 40, 2000));

async function times(pace, emit) {
  const workers = names.map((name) => new Worker(agents[name]));
  try {
    for (const worker of workers) await blaming(worker.name, () => worker.ask('warm', { ms: warmUpMs(pace) }));
    for (const title of Object.keys(cases)) {
      const runners = names.map((name, i) => new RemoteRunner({ name, worker: workers[i], title }));
      // A new host is slow at first: rounds are long enough for that not to count.
      const longer = { ...pace, roundMs: pace.roundMs * 4, warmMs: pace.warmMs * 10 };
      emit(toRow('turn', title, await compareRunners(runners, longer)));
    }
  } finally {
    for (const worker of workers) worker.stop();
  }
}

async function bytes(pace, emit) {
  const titles = Object.keys(cases);
  const results = await askAll(async (name) => {
    const worker = new Worker(agents[name], bytesFlags);
    try {
      await worker.ask('warm', { ms: warmUpMs(pace) });
      const details = { rounds: Math.ceil(pace.rounds / 4), warmMs: pace.warmMs * 5 };
      const found = {};
      for (const title of titles) found[title] = await worker.ask('bytes', { title, ...details });
      return found;
    } finally {
      worker.stop();
    }
  });
  for (const title of titles) emit(bytesRow(`${title}, bytes`, pick(results, title)));
}

/** A peer's session ends early when it takes too long; a quick run has none. */
async function longSession(inBytes, pace, emit) {
  const results = await askAll((name) => {
    const peer = name !== 'bridle' && !name.startsWith('limit');
    if (peer && pace.name === 'quick') return { skipped: 'in a full run only' };
    const limitMs = peer ? pace.slowMs * 3 : 60_000;
    const { turns, block } = sizes[pace.name];
    const details = { turns, block, limitMs, warmMs: warmUpMs(pace), inBytes };
    return askOnce(agents[name], inBytes ? bytesFlags : [], 'long', details);
  });
  const first = pick(results, 'first');
  const last = pick(results, 'last');
  emit(inBytes ? bytesRow('turns 1–100, bytes', first) : toRow('turn', 'turns 1–100', first));
  emit(inBytes ? bytesRow('turns 901–1000, bytes', last) : toRow('turn', 'turns 901–1000', last));
}

/** Of several processes the one in the middle. */
async function newProcess(title, pace) {
  const { coldTurns, coldProcesses } = sizes[pace.name];
  const results = await askAll(async (name) => {
    const found = [];
    for (let i = 0; i < coldProcesses; i++) {
      found.push(await askOnce(agents[name], [], 'cold', { title, turns: coldTurns }));
    }
    return found.toSorted((a, b) => a.ns - b.ns)[Math.floor(found.length / 2)];
  });
  return toRow('turn', `${title}, new process`, results);
}

async function idle(name, pace) {
  const sessions = sizes[pace.name].idleSessions;
  return { ns: await askOnce(agents[name], ['--expose-gc'], 'idle', { sessions }) };
}

/** One part of what was answered to several questions at once. */
function pick(results, part) {
  return results.map(({ name, skipped, ...parts }) => ({ name, skipped, ns: null, ...parts[part] }));
}

/** One after the other: two at once would disturb each other. */
async function askAll(ask) {
  const results = [];
  for (const name of names) results.push({ name, ...(await blaming(name, () => ask(name))) });
  return results;
}
