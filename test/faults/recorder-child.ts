/**
 * Decides and records as fast as it can until it is killed. It logs what the store acknowledged and what ran to its own
 * file, outside the store: `took`, `ran`, `gave`, `counting`, `counted`, `saved`, `step`. It prints `ready` and waits
 * for a line before it opens the store.
 */

import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { allow, ask, createGuard, deny, type Journal } from '../../src/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { storeApprover } from '../../src/store/store-approver.ts';
import type { RecorderOptions } from './recorder.ts';

const { at, keys, ledger, name, onFailure } = JSON.parse(process.argv[2] ?? '') as RecorderOptions;
const file = openSync(ledger, 'a', 0o600);

function tell(...words: readonly (string | number)[]): void {
  writeSync(file, `${words.join(' ')}\n`);
}

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.unref();
const store = await opened();

/** Waits while the server is unreachable. */
async function opened(): Promise<Store> {
  for (;;) {
    try {
      return await openStore({ at, keys });
    } catch (error) {
      if (onFailure === undefined) throw error;
      tell('failed', codeOf(error));
      if (onFailure === 'end') process.exit(0);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Enough failures to see their effect. */
const maxFailures = 60;
let failures = 0;

/** Expected failures are logged, and the next operation is tried. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (onFailure === undefined) throw error;
    tell('failed', codeOf(error));
    await failed();
  }
}

async function failed(): Promise<void> {
  if (onFailure === undefined) throw new RangeError('a call was denied although nothing forbids it');
  if (onFailure === 'end' && ++failures >= maxFailures) process.exit(0);
  await new Promise((resolve) => setTimeout(resolve, 5));
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

const journal: Journal = {
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
    alsoAsk: (request) => ({ type: Number(request.call.args['n']) % 5 === 0 ? 'deny' : 'approve' }),
  }),
});
const session = await guard.start({ id: name });
const turn = session.turn();
const host = {
  run: (call: { readonly id: string }) => {
    tell('ran', call.id);
    return 'done';
  },
};

const tools = ['act', 'look', 'act', 'careful', 'act', 'never', 'careful'];
let count = 0;

async function callTools(): Promise<never> {
  for (;;) {
    const n = count++;
    const tool = tools[n % tools.length] as string;
    const args = { n, text: 'x'.repeat((n * 37) % 900) };
    const { type, call } = await turn.guard({ id: `${name}-${n}-${tool}`, tool, args }, host);
    tell('gave', type, call.id);
    if (type === 'denied' && (tool === 'act' || tool === 'look')) await failed();
  }
}

async function takeCounters(): Promise<never> {
  const taking = { account: 'shared', amounts: { calls: 1 }, limits: { calls: 1_000_000_000 } };
  for (let n = 0; ; n++) {
    tell('counting', n);
    await patiently(async () => {
      const full = await store.counters.take(taking);
      if (full === undefined) tell('counted', n);
    });
  }
}

async function saveSessions(): Promise<never> {
  let version = 0;
  for (let n = 1; ; n++) {
    await patiently(async () => {
      const saved = onFailure === undefined ? version : ((await store.sessions.load(name))?.version ?? 0);
      version = await store.sessions.save(name, { n, text: 'y'.repeat((n * 91) % 5000) }, saved);
      tell('saved', n);
    });
  }
}

async function recordSteps(): Promise<never> {
  const { record } = await store.runs.create({ id: name, agent: 'main', input: 'go' });
  const claim = await store.runs.claim(record.id, { leaseMs: 60_000 });
  if (typeof claim === 'string') throw new RangeError(claim);
  for (let n = 0; ; n++) {
    await claim.record({ kind: 'tool', name: String(n), value: { n } }, { at: n });
    tell('step', n);
  }
}

const steps = recordSteps().catch((error: unknown) => {
  // After a write with unknown outcome the claim is dropped.
  if (onFailure === undefined) throw error;
  tell('failed', codeOf(error));
});
await Promise.all([steps, takeCounters(), saveSessions(), ...Array.from({ length: 6 }, callTools)]);
