/** What one Postgres holds: runs that wait for an answer, how much room each takes, and what it costs that they are there. */

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { quantile } from '../measure.mjs';
import { now } from '../stores/peer-process.mjs';
import { agentOptions, prompt } from './plan.mjs';
import { load } from '../dist.mjs';

const { createAgent } = await load('agent/index.js');
const { openStore } = await load('store/index.js');

const lanes = 10;
const rounds = 30;
const leaseMs = 30_000;

export async function waitingTable(scratch, count) {
  const place = scratch.place('postgres');
  const store = await openStore(place);
  const server = new pg.Client({ connectionString: scratch.url });
  await server.connect();
  try {
    const schema = new URL(place.at).searchParams.get('schema');
    const empty = { times: await times(store), bytes: await sizeOf(server, schema) };
    await fill({ ...place, durability: 'process' }, count);
    await server.query('ANALYZE');
    const full = { times: await times(store), bytes: await sizeOf(server, schema) };
    return {
      suite: 'runs',
      case: 'runs that wait',
      table: [
        ['runs that wait in one Postgres', 'none', count.toLocaleString('en')],
        ...Object.keys(empty.times).map((name) => [name, ms(empty.times[name]), ms(full.times[name])]),
        ['a run, its approval and its journal', '', `${((full.bytes - empty.bytes) / count / 1000).toFixed(1)} kB`],
      ],
    };
  } finally {
    await server.end();
    await store.close();
  }
}

const ms = (ns) => `${(ns / 1e6).toFixed(2)} ms`;

/** Real ones: each has asked its question and was let go. */
async function fill(place, count) {
  const store = await openStore(place);
  const agent = createAgent(agentOptions('deploy', store));
  await agent.start();
  let left = count;
  const lane = async () => {
    while (left-- > 0) {
      const { state } = await agent.run(prompt, { hold: 'release' });
      if (state !== 'waiting') throw new Error(`the run is ${state}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await agent.stop();
  await store.close();
}

/** The median of what a worker or a person does again and again. */
async function times({ runs, approvals }) {
  const agents = ['main'];
  return {
    'take a new run, and give it back': await median(async () => {
      const id = randomUUID();
      await runs.create({ id, agent: 'other', input: { prompt } });
      const claim = await runs.claim(id, { leaseMs });
      await claim.finish({ state: 'done', output: 'done' });
    }),
    'look for runs to take': await median(() => runs.queued({ agents, limit: 500 })),
    'look for workers that died': await median(() => runs.reap()),
    'list 100 waiting runs': await median(() => runs.list({ state: 'waiting', limit: 100 })),
    'list 100 open approvals': await median(() => approvals.list({ state: 'pending', limit: 100 })),
  };
}

async function median(work) {
  const samples = [];
  for (let i = 0; i < rounds; i++) {
    const start = now();
    await work();
    samples.push(now() - start);
  }
  return quantile(
    samples.toSorted((a, b) => a - b),
    0.5,
  );
}

async function sizeOf(server, schema) {
  const { rows } = await server.query(
    `SELECT sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass))::float8 AS bytes
     FROM pg_tables WHERE schemaname = $1`,
    [schema],
  );
  return rows[0].bytes;
}
