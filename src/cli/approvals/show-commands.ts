/** `bridle approvals list`, `show` and `watch`: the approvals in a store, with secrets masked. */

import { type ApprovalRecord, isApprovalState } from '../../approvals/signing/approval-record.ts';
import { WakeSignal } from '../../store/database/wake-signal.ts';
import type { Store } from '../../store/store.ts';
import { approvalCard, approvalLine } from './approval-text.ts';
import { paintFor } from '../command/command-report.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { Lifetime } from '../command/lifetime.ts';
import { maskedApproval, maskOf } from '../command/masked-records.ts';
import { readCount } from '../command/read-input.ts';
import { type StoreFlags, withStore } from '../command/store-options.ts';
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
/** How often to look for approvals that have expired, which wakes no watcher. */
const expiryPollMs = 5000;
const maxWatched = 1000;

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
      lines: (paint) => (found.length === 0 ? [nothing] : found.map((each) => approvalLine(each, Date.now(), paint))),
    };
  });
}

export function showApproval(invocation: Invocation<StoreFlags>): Promise<CommandReport> {
  return withStore(invocation, async (store) => {
    const record = maskedApproval(await findApproval(store, invocation.positionals[0] ?? ''), maskOf(store));
    return { code: exitCodes.ok, data: record, lines: (paint) => approvalCard(record, Date.now(), paint) };
  });
}

/** Finds an approval by its id or a prefix of it. */
export async function findApproval({ approvals }: Store, idOrPrefix: string): Promise<ApprovalRecord> {
  const record = await approvals.find(idOrPrefix.trim().toLowerCase());
  if (record === undefined)
    throw usageError(`there is no approval ${JSON.stringify(idOrPrefix)}: see bridle approvals list`);
  return record;
}

/** Pending approvals, then every change until a signal. */
export async function watchApprovals(invocation: Invocation<StoreFlags>): Promise<number> {
  const { options, streams } = invocation;
  const paint = paintFor(invocation);
  const lifetime = new Lifetime(streams);
  lifetime.onInterrupt(() => lifetime.end(exitCodes.cancelled));
  try {
    const code = await withStore(invocation, async (store) => {
      const mask = maskOf(store);
      const show = (found: ApprovalRecord): boolean => {
        const record = maskedApproval(found, mask);
        const text = options.json === true ? safeJson(record) : approvalLine(record, Date.now(), paint);
        return writeTo(stdout, `${text}\n`);
      };
      return (await followApprovals(store, show, lifetime.signal)) ? exitCodes.ok : exitCodes.brokenPipe;
    });
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
  }
}

/** Shows each approval once per state, pending ones first; returns false if the reader has closed the output. */
async function followApprovals(
  { approvals }: Store,
  show: (record: ApprovalRecord) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const seen = new Map<string, string>();
  const changed = new WakeSignal();
  const stop = await approvals.watch(() => changed.wake());
  signal.addEventListener('abort', () => changed.wake(), { once: true });
  try {
    for (const record of await approvals.list({ limit: maxWatched })) {
      if (record.state !== 'pending') seen.set(record.id, record.state);
    }
    while (!signal.aborted) {
      const woken = changed.next();
      await approvals.expire();
      const found = (await approvals.list({ limit: maxWatched })).toReversed();
      for (const record of found.filter(({ id, state }) => seen.get(id) !== state)) {
        seen.set(record.id, record.state);
        if (!show(record)) return false;
      }
      await changed.within(expiryPollMs, woken);
    }
    return true;
  } finally {
    stop();
  }
}
