/** `bridle approvals list` and `show`: the approvals in a store, with secrets masked. */

import { type ApprovalRecord, isApprovalState } from '../../approvals/signing/approval-record.ts';
import type { Store } from '../../store/store.ts';
import { approvalCard, approvalLine } from './approval-text.ts';
import { columnsFor } from '../command/command-report.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { maskedApproval, maskOf } from '../command/masked-records.ts';
import { readCount } from '../command/read-input.ts';
import { type StoreFlags, withStore } from '../command/store-options.ts';

interface ListFlags extends StoreFlags {
  readonly all?: boolean | undefined;
  readonly state?: string | undefined;
  readonly session?: string | undefined;
  readonly run?: string | undefined;
  readonly limit?: string | undefined;
}

/** Pending approvals and, on request, settled ones. */
export function listApprovals(invocation: Invocation<ListFlags>): Promise<CommandReport> {
  const { options } = invocation;
  const { all, session, run, state: given } = options;
  const limit = readCount('--limit', options.limit ?? '100');
  if (given !== undefined && !isApprovalState(given)) {
    throw usageError(
      `--state must be pending, approved, denied, expired, cancelled, void or used, not ${JSON.stringify(given)}`,
    );
  }
  const state = given ?? (all === true ? undefined : 'pending');
  return withStore(invocation, async (store) => {
    const { approvals } = store;
    await approvals.expire();
    const mask = maskOf(store);
    const found = (await approvals.list({ state, session, run, limit })).map((each) => maskedApproval(each, mask));
    const nothing = state === 'pending' ? 'no pending approvals' : 'no approvals';
    return {
      code: exitCodes.ok,
      data: { approvals: found },
      lines: (paint) => (found.length === 0 ? [nothing] : found.map((each) => approvalLine(each, paint))),
    };
  });
}

export function showApproval(invocation: Invocation<StoreFlags>): Promise<CommandReport> {
  return withStore(invocation, async (store) => {
    const record = maskedApproval(await findApproval(store, invocation.positionals[0] ?? ''), maskOf(store));
    return { code: exitCodes.ok, data: record, lines: (paint) => approvalCard(record, paint, columnsFor(invocation)) };
  });
}

/** Finds an approval by its id or a prefix of it. */
export async function findApproval({ approvals }: Store, idOrPrefix: string): Promise<ApprovalRecord> {
  const record = await approvals.find(idOrPrefix.trim().toLowerCase());
  if (record === undefined)
    throw usageError(`there is no approval ${JSON.stringify(idOrPrefix)}: see npx bridle approvals list`);
  return record;
}
