/** Runs and the approvals they wait for, on a new store with a manual clock. */

import { randomUUID } from 'node:crypto';
import type { ApprovalId } from '../../src/kernel/ids.ts';
import type { Approvals } from '../../src/store/approvals/approvals.ts';
import { openApprovals } from '../../src/store/approvals/open-approvals.ts';
import { processIdentity } from '../../src/approvals/signing/process-tree.ts';
import type { NamespaceContext } from '../../src/store/namespace/namespace.ts';
import { openRuns } from '../../src/store/runs/open-runs.ts';
import type { RunClaim, Runs } from '../../src/store/runs/run-record.ts';
import type { StoreRig } from './store-rig.ts';

/** A clock that advances only when told. */
export interface HandClock {
  (): number;
  move(ms: number): void;
}

export function handClock(start = Date.UTC(2026, 0, 1)): HandClock {
  let now = start;
  return Object.assign(() => now, { move: (ms: number) => void (now += ms) });
}

export interface RunRig {
  readonly parts: NamespaceContext;
  readonly runs: Runs;
  readonly approvals: Approvals;
  /** Creates an approval request of a run; returns its id. */
  readonly ask: (run: string, forMs?: number) => Promise<ApprovalId>;
  /** Settles it, as far as runs are concerned. */
  readonly settle: (id: ApprovalId) => Promise<boolean>;
}

/** For the store, each call is another process: only the database is shared. */
export async function runRig(rig: StoreRig, clock: () => number, options: object = {}): Promise<RunRig> {
  const parts = await rig.parts({ clock, ...options });
  const approvals = openApprovals(parts);
  return {
    parts,
    runs: openRuns(parts),
    approvals,
    ask: async (run, forMs = 3_600_000) => (await approvals.put(draftOf(run, clock(), forMs))).id,
    settle: (id) => approvals.move(id, { from: 'pending', to: 'cancelled', by: 'test' }),
  };
}

/** An unanswered approval request of a run. */
export function draftOf(run: string, now: number, forMs: number): Parameters<Approvals['put']>[0] {
  return {
    id: randomUUID() as ApprovalId,
    digest: '',
    callDigest: '',
    session: run,
    agent: ['main'],
    call: '1/1/c1',
    run,
    tool: 'act',
    server: undefined,
    args: {},
    shown: { title: 'act', args: [], text: 'act' },
    questions: [{ text: 'May act run?' }],
    proposal: undefined,
    remembers: { group: '', rule: undefined, turn: 1 },
    policyVersion: '1',
    answerers: undefined,
    asker: processIdentity(),
    createdAt: now,
    expiresAt: now + forMs,
  };
}

/** Claims a run, or throws the reason for the refusal. */
export async function mustClaim(runs: Runs, id: string, leaseMs = 1000): Promise<RunClaim> {
  const claim = await runs.claim(id, { leaseMs });
  if (typeof claim === 'string') throw new RangeError(claim);
  return claim;
}
