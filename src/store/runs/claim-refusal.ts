/** Why a run cannot be claimed. */

import { isRunning } from '../../approvals/signing/process-tree.ts';
import type { Queries } from '../database/database.ts';
import type { RunState } from './run-record.ts';
import type { RunRow } from './run-rows.ts';
import { pendingApprovalsOf } from './pending-approvals.ts';

export function hasEnded(state: RunState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** The reason, as a sentence for people; undefined if the run can be claimed. */
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

/**
 * A lease protects an owner on another machine. If the owner ran on this machine and has died, the lease does not
 * count.
 */
function ownerRefusal({ id, owner, leaseUntil }: RunRow, now: number): string | undefined {
  if (owner === null || leaseUntil <= now || isRunning(owner) === false) return undefined;
  const who = `process ${owner.pid} on ${owner.host}`;
  return `the run "${id}" is claimed by ${who} until ${new Date(leaseUntil).toISOString()}`;
}

async function waitRefusal(
  queries: Queries,
  { id, waitingFor }: RunRow,
  about: { readonly namespace: string; readonly now: number },
): Promise<string | undefined> {
  const pending = await pendingApprovalsOf(queries, about, waitingFor);
  if (pending.length < waitingFor.length) return undefined;
  const which = waitingFor.length === 1 ? 'the approval' : 'one of the approvals';
  return `the run "${id}" is waiting for an answer to ${which} ${waitingFor.join(', ')}`;
}
