/** `bridle approvals list`: lists pending and, on request, settled approvals. */

import { isApprovalState } from '../../approvals/signing/approval-states.ts';
import { approvalExitCodes } from '../exit/approval-exit-codes.ts';
import { approvalLine } from './approval-text.ts';
import { shouldUseColours } from '../output/command-report.ts';
import { readCount } from '../journal/tail-command.ts';
import { maskedApproval, maskOf } from '../output/masked-records.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import { usageError } from '../options/usage-error.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { type StoreFlags, withStore } from '../options/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeJson } from '../../terminal/output/safe-text.ts';

interface ListFlags extends StoreFlags {
  readonly all?: boolean | undefined;
  readonly state?: string | undefined;
  readonly session?: string | undefined;
  readonly run?: string | undefined;
  readonly limit?: string | undefined;
}

const stdout = 1;

export function listApprovals({ options, context }: StoreInvocation<ListFlags>): Promise<number> {
  const { all, session, run, json } = options;
  const limit = readCount('--limit', options.limit ?? '100');
  const given = options.state;
  if (given !== undefined && !isApprovalState(given)) {
    throw usageError(
      `--state must be pending, approved, denied, expired, cancelled, void or used, not ${JSON.stringify(given)}`,
    );
  }
  const state = given ?? (all === true ? undefined : 'pending');
  const paint = paintWith(shouldUseColours(context.env, context.streams.stdout.isTTY));
  return withStore(options, context.env, async (store) => {
    const { approvals } = store;
    await approvals.expire();
    const mask = maskOf(store);
    const found = (await approvals.list({ state, session, run, limit })).map((each) => maskedApproval(each, mask));
    const now = Date.now();
    const text =
      json === true ? safeJson({ approvals: found }) : found.map((each) => approvalLine(each, now, paint)).join('\n');
    const nothing = state === 'pending' ? 'no pending approvals' : 'no approvals';
    return writeTo(stdout, `${text === '' ? nothing : text}\n`) ? approvalExitCodes.ok : approvalExitCodes.brokenPipe;
  });
}
