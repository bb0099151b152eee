/**
 * Decides and records as fast as it can, with the built package, until it is killed. What the store has acknowledged, and
 * what ran, goes to a file of its own that no store knows: `took`, `ran`, `counting`, `counted`, `saved`, `step`. It says
 * `ready` and waits for a line before it opens the store.
 */

import { openSync, writeSync } from 'node:fs';
import { once } from 'node:events';
import { allow, ask, createGuard, deny } from '../../dist/index.js';
import { openStore } from '../../dist/store/index.js';
import { storeApprover } from '../../dist/store/store-approver.js';

const { at, keys, ledger, name } = JSON.parse(process.argv[2]);
const file = openSync(ledger, 'a', 0o600);
const tell = (...words) => void writeSync(file, `${words.join(' ')}\n`);

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.unref();
const store = await openStore({ at, keys });

/** What a server that is away refuses is tried again; a store in a file must not refuse anything. */
async function patiently(work) {
  try {
    await work();
  } catch (error) {
    if (store.dialect === 'sqlite') throw error;
    tell('failed', error.code);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const journal = {
  append: async (entry) => {
    await store.journal.append(entry);
    if (entry.kind !== 'noted') tell('took', entry.kind, entry.status, entry.call);
  },
};
const guard = createGuard({
  tools: [{ name: 'act' }, { name: 'careful' }, { name: 'never' }, { name: 'look', tier: 'observe' }],
  policy: [allow('act'), ask('careful'), deny('never'), allow('look')],
  journal,
  approver: storeApprover(store, {
    beside: (request) => ({ type: request.call.args.n % 5 === 0 ? 'deny' : 'approve' }),
  }),
});
const session = await guard.start({ id: name });
const turn = session.turn();
const host = {
  run: (call) => {
    tell('ran', call.id);
    return 'done';
  },
};

const tools = ['act', 'look', 'act', 'careful', 'act', 'never', 'careful'];
let count = 0;

async function callTools() {
  for (;;) {
    const n = count++;
    const tool = tools[n % tools.length];
    await patiently(() =>
      turn.guard({ id: `${name}-${n}-${tool}`, tool, args: { n, text: 'x'.repeat((n * 37) % 900) } }, host),
    );
  }
}

async function takeCounters() {
  const taking = { account: 'shared', amounts: { calls: 1 }, limits: { calls: 1_000_000_000 } };
  for (let n = 0; ; n++) {
    tell('counting', n);
    await patiently(async () => {
      const full = await store.counters.take(taking);
      if (full === undefined) tell('counted', n);
    });
  }
}

async function saveSessions() {
  let version = 0;
  for (let n = 1; ; n++) {
    await patiently(async () => {
      const saved = store.dialect === 'sqlite' ? version : ((await store.sessions.load(name))?.version ?? 0);
      version = await store.sessions.save(name, { n, text: 'y'.repeat((n * 91) % 5000) }, saved);
      tell('saved', n);
    });
  }
}

async function recordSteps() {
  const { record } = await store.runs.create({ id: name, agent: 'main', input: 'go' });
  const claim = await store.runs.claim(record.id, { leaseMs: 60_000 });
  for (let n = 0; ; n++) {
    await claim.record({ kind: 'tool', name: String(n), value: { n } }, { at: n });
    tell('step', n);
  }
}

const steps = recordSteps().catch((error) => {
  // After a write whose end is not known a claim is given up.
  if (store.dialect === 'sqlite') throw error;
  tell('failed', error.code);
});
await Promise.all([steps, takeCounters(), saveSessions(), ...Array.from({ length: 6 }, callTools)]);
