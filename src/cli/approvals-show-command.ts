/** `bridle approvals show`: one approval whole. */

import type { ApprovalRecord } from '../store/approvals/approval-record.ts';
import type { Store } from '../store/store.ts';
import { approvalExitCodes } from './approval-exit-codes.ts';
import { approvalCard } from './approval-text.ts';
import { wantsColours } from './command-report.ts';
import { maskedApproval, maskOf } from './masked-records.ts';
import { paintWith } from './paint.ts';
import { wrong } from './wrong-use.ts';
import type { StoreRun } from './store-command.ts';
import { withStore } from './store-options.ts';
import { writeTo } from './sync-io.ts';
import { safeJson } from './visible-text.ts';

const stdout = 1;

export function showApproval({ words, options, scene }: StoreRun): Promise<number> {
  const paint = paintWith(wantsColours(scene.env, scene.streams.stdout.isTTY));
  return withStore(options, scene.env, async (store) => {
    const record = maskedApproval(await findApproval(store, words[0] ?? ''), maskOf(store));
    const text = options.json === true ? safeJson(record) : approvalCard(record, Date.now(), paint).join('\n');
    return writeTo(stdout, `${text}\n`) ? approvalExitCodes.ok : approvalExitCodes.unread;
  });
}

/** By its id, or the beginning of it. */
export async function findApproval({ approvals }: Store, start: string): Promise<ApprovalRecord> {
  const record = await approvals.find(start.trim().toLowerCase());
  if (record === undefined) throw wrong(`there is no approval ${JSON.stringify(start)}: see bridle approvals list`);
  return record;
}
