/** `bridle approvals list`: what waits for an answer, and what became of the rest. */

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

export function listApprovals({ options, scene }: StoreInvocation<ListFlags>): Promise<number> {
  const { all, session, run, json } = options;
  const limit = readCount('--limit', options.limit ?? '100');
  const given = options.state;
  if (given !== undefined && !isApprovalState(given)) {
    throw usageError(
      `--state takes pending, approved, denied, expired, cancelled, void or used, not ${JSON.stringify(given)}`,
    );
  }
  const state = given ?? (all === true ? undefined : 'pending');
  const paint = paintWith(shouldUseColours(scene.env, scene.streams.stdout.isTTY));
  return withStore(options, scene.env, async (store) => {
    const { approvals } = store;
    await approvals.expire();
    const mask = maskOf(store);
    const found = (await approvals.list({ state, session, run, limit })).map((each) => maskedApproval(each, mask));
    const now = Date.now();
    const text =
      json === true ? safeJson({ approvals: found }) : found.map((each) => approvalLine(each, now, paint)).join('\n');
    const nothing = state === 'pending' ? 'nothing waits for an answer' : 'there are none';
    const said = text === '' ? nothing : text;
    return writeTo(stdout, `${said}\n`) ? approvalExitCodes.ok : approvalExitCodes.brokenPipe;
  });
}
