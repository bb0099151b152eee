/** `bridle approvals show`: one approval whole. */

import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import type { Store } from '../../store/store.ts';
import { approvalExitCodes } from '../exit/approval-exit-codes.ts';
import { approvalCard } from './approval-text.ts';
import { shouldUseColours } from '../output/command-report.ts';
import { maskedApproval, maskOf } from '../output/masked-records.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import { usageError } from '../options/usage-error.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { withStore } from '../options/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeJson } from '../../terminal/output/safe-text.ts';

const stdout = 1;

export function showApproval({ words, options, scene }: StoreInvocation): Promise<number> {
  const paint = paintWith(shouldUseColours(scene.env, scene.streams.stdout.isTTY));
  return withStore(options, scene.env, async (store) => {
    const record = maskedApproval(await findApproval(store, words[0] ?? ''), maskOf(store));
    const text = options.json === true ? safeJson(record) : approvalCard(record, Date.now(), paint).join('\n');
    return writeTo(stdout, `${text}\n`) ? approvalExitCodes.ok : approvalExitCodes.brokenPipe;
  });
}

/** By its id, or the beginning of it. */
export async function findApproval({ approvals }: Store, start: string): Promise<ApprovalRecord> {
  const record = await approvals.find(start.trim().toLowerCase());
  if (record === undefined)
    throw usageError(`there is no approval ${JSON.stringify(start)}: see bridle approvals list`);
  return record;
}
