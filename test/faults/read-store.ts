/** Reads everything from a store and tries everything that could be a wrong allow. Returns texts by name. */

import type { ApprovalId } from '../../src/kernel/ids.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Known, limits, queryFor, rates } from './sample-store.ts';

/** JSON texts by name; a failure is `!` and its code. */
export type Reading = Readonly<Record<string, string>>;

export interface Place {
  readonly at: string;
  readonly keys: string;
}

/** By then the leases of all runs have expired. */
const laterMs = 3_600_000;

/** Opens a store, reads it, uses it, and closes it. Modifies the store, so pass a copy. */
export async function readStore(place: Place, known: Known): Promise<Reading> {
  const found = new Map<string, string>();
  let store: Store | undefined;
  await attempt(found, 'open', async () => {
    store = await openStore({ ...place, create: false, clock: () => known.now + laterMs });
    return 'opened';
  });
  if (store === undefined) return Object.fromEntries(found);
  for (const [name, probe] of probes(store, known)) await attempt(found, name, probe);
  await attempt(found, 'close', async () => store?.close());
  return Object.fromEntries(found);
}

type Probe = readonly [name: string, probe: () => Promise<unknown>];

/** Reads first, then writes. */
function probes(store: Store, known: Known): readonly Probe[] {
  return [...readings(store, known), ...trials(store, known)];
}

function readings(store: Store, known: Known): readonly Probe[] {
  const { approvals, answers, counters, sessions, runs, journal } = store;
  return [
    ['journal verify', () => journal.verify()],
    ['journal head', () => journal.head()],
    ['journal records', () => all(journal.read())],
    ['journal checkpoints', () => journal.checkpoints()],
    ...known.approvals.map((id): Probe => [`approval ${id}`, () => approvals.get(id as ApprovalId)]),
    ['approvals', () => approvals.list()],
    ['approvals pending', () => approvals.list({ state: 'pending' })],
    ...known.commands.map((command): Probe => [`answer ${command}`, async () => answers.find(queryFor(command))]),
    ...known.accounts.map((account): Probe => [`used ${account}`, () => counters.used(account)]),
    ...known.sessions.map((id): Probe => [`session ${id}`, () => sessions.load(id)]),
    ['sessions', () => sessions.list()],
    ...known.runs.map((id): Probe => [`run ${id}`, () => runs.get(id)]),
    ['runs', () => runs.list()],
    ['runs queued', () => runs.queued({ agents: ['main'], limit: 10 })],
  ];
}

function trials(store: Store, known: Known): readonly Probe[] {
  const { approvals, counters, sessions, runs } = store;
  return [
    ...known.accounts.map((account): Probe => [
      `take ${account}`,
      () => counters.take({ account, amounts: { calls: 1 }, limits, rates }),
    ]),
    ...known.approvals.map((id): Probe => [
      `use ${id}`,
      () => approvals.move(id as ApprovalId, { from: 'approved', to: 'used', by: 'bridle' }),
    ]),
    ...known.sessions.map((id): Probe => [`begin ${id}`, () => sessions.save(id, { begun: true }, 0)]),
    ...known.runs.map((id): Probe => [
      `create ${id}`,
      async () => (await runs.create({ id, agent: 'main', input: 'again' })).created,
    ]),
    ...known.runs.map((id): Probe => [`steps ${id}`, () => stepsOf(store, id)]),
  ];
}

async function stepsOf({ runs }: Store, id: string): Promise<unknown> {
  const claim = await runs.claim(id, { leaseMs: 1000 });
  // The text names approvals that differ.
  if (typeof claim === 'string') return 'refused';
  return [await claim.steps(), (await claim.state()) ?? null];
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function attempt(found: Map<string, string>, name: string, probe: () => Promise<unknown>): Promise<void> {
  try {
    found.set(name, JSON.stringify(await probe()) ?? 'nothing');
  } catch (error) {
    const { code, name: kind, message } = error as Error & { code?: string };
    found.set(name, `!${kind === 'BridleError' ? code : `${kind}: ${message}`}`);
  }
}
