/** One agent in a process of its own: some make every `await` of their process dearer. Answers what it is asked. */

import { setTimeout as wait } from 'node:timers/promises';
import { allocated } from '../allocated.mjs';
import { quantile, Runner } from '../measure.mjs';
import { answer, cases, prompt, Script } from './script.mjs';

const [name] = process.argv.slice(2);
const { createHost } = await import(`../agents/${name}.mjs`);

/** A host whose turns are counted: an agent that skips the tool or the answer is not measured. */
async function hostFor(title) {
  const script = new Script(cases[title]);
  const count = { runs: 0, turns: 0 };
  const host = await createHost({
    script,
    run: async () => {
      count.runs++;
      return 'found';
    },
  });
  const turn = async (session) => {
    const text = await session.turn(prompt);
    count.turns++;
    if (text !== answer) throw new Error(`${name} answers ${JSON.stringify(text)} in "${title}"`);
  };
  const check = () => {
    const { runs, turns } = count;
    if (runs !== turns * script.calls) throw new Error(`${name} ran the tool ${runs} times in ${turns} turns`);
    host.check?.(runs);
  };
  return { open: () => host.open(), turn, check };
}

async function openMany(host, count) {
  const sessions = [];
  for (let i = 0; i < count; i++) sessions.push(await host.open());
  return sessions;
}

/** Turns in new sessions, opened before the time is taken; the first turn of a host is not timed. */
function contestant(title) {
  let host;
  let sessions;
  return {
    name,
    async reset(batch) {
      host?.check();
      host = await hostFor(title);
      await host.turn(await host.open());
      sessions = await openMany(host, batch);
    },
    call: () => host.turn(sessions.pop()),
  };
}

let runner;

const answers = {
  warm: ({ ms }) => warm('1 call', ms),

  /** The first turns of a process: little is compiled yet. */
  async cold({ title, turns }) {
    const host = await hostFor(title);
    const sessions = await openMany(host, turns);
    const samples = [];
    for (const session of sessions) samples.push(await timed(() => host.turn(session)));
    host.check();
    return quartiles(samples);
  },

  async calibrate({ title, pace }) {
    runner = new Runner(contestant(title));
    await runner.calibrate(pace);
    const { batch, every, skipped } = runner;
    return { batch, every, skipped };
  },

  round: () => runner.round(),

  /** Bytes that one turn allocates, in a young generation so large that nothing is collected meanwhile. */
  async bytes({ title, rounds, warmMs }) {
    await warm(title, warmMs);
    const samples = [];
    for (let round = 0; round < rounds; round++) {
      const host = await hostFor(title);
      await host.turn(await host.open());
      const sessions = await openMany(host, 4);
      samples.push(await allocatedIn(() => inTurn(sessions, host.turn)));
      host.check();
    }
    return quartiles(samples.map((bytes) => bytes / 4));
  },

  /** What the first and the last turns of one long session cost, in time or, of every tenth turn, in bytes. */
  async long({ turns, block, limitMs, warmMs, inBytes }) {
    await warm('1 call', warmMs);
    const host = await hostFor('1 call');
    const session = await host.open();
    const turn = () => host.turn(session);
    const until = performance.now() + limitMs;
    const first = [];
    const last = [];
    for (let i = 0; i < turns; i++) {
      const into = i < block ? first : last;
      if ((i >= block && i < turns - block) || (inBytes && i % 10 !== 5)) await turn();
      else into.push(await (inBytes ? allocatedIn(turn) : timed(turn)));
      if (performance.now() > until) return { skipped: `${i + 1} turns took ${Math.round(limitMs / 1000)} s` };
    }
    host.check();
    return { first: quartiles(first), last: quartiles(last) };
  },

  /** What a session holds that had one turn and waits. Array buffers lie outside the heap and count too. */
  async idle({ sessions: count }) {
    const host = await hostFor('1 call');
    await inTurn(await openMany(host, 50), host.turn);
    const before = await held();
    const sessions = await openMany(host, count);
    for (const session of sessions) await host.turn(session);
    const bytes = ((await held()) - before) / count;
    host.check();
    if (sessions.length !== count) throw new Error('the sessions were not kept');
    return bytes;
  },
};

async function inTurn(sessions, turn) {
  for (const session of sessions) await turn(session);
}

/** Counts the time of the processor, so that a busy machine does not shorten it. */
async function warm(title, ms) {
  const turns = contestant(title);
  const start = process.cpuUsage();
  let spent;
  do {
    await turns.reset(8);
    for (let i = 0; i < 8; i++) await turns.call();
    spent = process.cpuUsage(start);
  } while (spent.user + spent.system < ms * 1000);
}

async function timed(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start);
}

async function allocatedIn(work) {
  for (let attempt = 0; attempt < 5; attempt++) {
    const bytes = await allocated(work);
    if (bytes !== undefined) return bytes;
  }
  throw new Error(`${name} allocates too much for the young generation`);
}

async function held() {
  for (let i = 0; i < 3; i++) {
    await wait(20);
    globalThis.gc();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function quartiles(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return { ns: quantile(sorted, 0.5), p25: quantile(sorted, 0.25), p75: quantile(sorted, 0.75) };
}

async function reply({ ask, ...details }) {
  try {
    process.send({ value: await answers[ask](details) });
  } catch (error) {
    process.send({ error: error.stack });
  }
}

process.on('message', (message) => void reply(message));
