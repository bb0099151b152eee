/** `bridle approvals list`: what waits for an answer, and what became of the rest. */

import { isApprovalState } from '../store/approvals/approval-states.ts';
import { approvalExitCodes } from './approval-exit-codes.ts';
import { approvalLine } from './approval-text.ts';
import { wantsColours } from './command-report.ts';
import { readCount } from './journal-tail-command.ts';
import { maskedApproval, maskOf } from './masked-records.ts';
import { paintWith } from './paint.ts';
import { wrong } from './wrong-use.ts';
import type { StoreRun } from './store-command.ts';
import { type StoreFlags, withStore } from './store-options.ts';
import { writeTo } from './sync-io.ts';
import { safeJson } from './visible-text.ts';

interface ListFlags extends StoreFlags {
  readonly all?: boolean | undefined;
  readonly state?: string | undefined;
  readonly session?: string | undefined;
  readonly run?: string | undefined;
  readonly limit?: string | undefined;
}

const stdout = 1;

export function listApprovals({ options, scene }: StoreRun<ListFlags>): Promise<number> {
  const { all, session, run, json } = options;
  const limit = readCount('--limit', options.limit ?? '100');
  const given = options.state;
  if (given !== undefined && !isApprovalState(given)) {
    throw wrong(
      `--state takes pending, approved, denied, expired, cancelled, void or used, not ${JSON.stringify(given)}`,
    );
  }
  const state = given ?? (all === true ? undefined : 'pending');
  const paint = paintWith(wantsColours(scene.env, scene.streams.stdout.isTTY));
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
    return writeTo(stdout, `${said}\n`) ? approvalExitCodes.ok : approvalExitCodes.unread;
  });
}
