/** Why a run cannot be taken. */

import { isRunning } from '../../approvals/signing/process-tree.ts';
import type { Queries } from '../database/database.ts';
import type { RunState } from './run-record.ts';
import type { RunRow } from './run-rows.ts';
import { pendingApprovalsOf } from './pending-approvals.ts';

export function hasEnded(state: RunState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** What a person is told who cannot have the run; undefined if it can be taken. */
export async function claimRefusal(
  queries: Queries,
  row: RunRow,
  about: { readonly namespace: string; readonly now: number },
): Promise<string | undefined> {
  switch (row.state) {
    case 'queued':
      return undefined;
    case 'running':
      return ownerRefusal(row, about.now);
    case 'waiting':
      return waitRefusal(queries, row, about);
    case 'done':
    case 'failed':
    case 'cancelled':
      return `the run "${row.id}" is ${row.state}${row.error === null ? '' : `: ${row.error}`}`;
    default:
      return row.state satisfies never;
  }
}

/** A lease protects an owner that nobody can look at; one on this machine that is gone is known to be gone. */
function ownerRefusal({ id, owner, leaseUntil }: RunRow, now: number): string | undefined {
  if (owner === null || leaseUntil <= now || isRunning(owner) === false) return undefined;
  const who = `process ${owner.pid} on ${owner.host}`;
  return `the run "${id}" is being worked on by ${who}, which holds it until ${new Date(leaseUntil).toISOString()}`;
}

async function waitRefusal(
  queries: Queries,
  { id, waitingFor }: RunRow,
  about: { readonly namespace: string; readonly now: number },
): Promise<string | undefined> {
  const pending = await pendingApprovalsOf(queries, about, waitingFor);
  if (pending.length < waitingFor.length) return undefined;
  const which = waitingFor.length === 1 ? 'the approval' : 'one of the approvals';
  return `the run "${id}" waits for an answer to ${which} ${waitingFor.join(', ')}`;
}
