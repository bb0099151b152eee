/** `bridle approvals show`: shows one approval in full. */

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

export function showApproval({ positionals, options, context }: StoreInvocation): Promise<number> {
  const paint = paintWith(shouldUseColours(context.env, context.streams.stdout.isTTY));
  return withStore(options, context.env, async (store) => {
    const record = maskedApproval(await findApproval(store, positionals[0] ?? ''), maskOf(store));
    const text = options.json === true ? safeJson(record) : approvalCard(record, Date.now(), paint).join('\n');
    return writeTo(stdout, `${text}\n`) ? approvalExitCodes.ok : approvalExitCodes.brokenPipe;
  });
}

/** Finds an approval by its id or a prefix of it. */
export async function findApproval({ approvals }: Store, idOrPrefix: string): Promise<ApprovalRecord> {
  const record = await approvals.find(idOrPrefix.trim().toLowerCase());
  if (record === undefined)
    throw usageError(`there is no approval ${JSON.stringify(idOrPrefix)}: see bridle approvals list`);
  return record;
}
