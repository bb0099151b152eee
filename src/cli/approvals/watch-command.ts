/** `bridle approvals watch`: shows pending approvals and follows changes. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import { WakeSignal } from '../../store/approvals/wake-signal.ts';
import type { Store } from '../../store/store.ts';
import { approvalExitCodes } from '../exit/approval-exit-codes.ts';
import { approvalLine } from './approval-text.ts';
import { shouldUseColours } from '../output/command-report.ts';
import { Lifetime } from '../exit/lifetime.ts';
import { maskedApproval, maskOf } from '../output/masked-records.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { withStore } from '../options/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeJson } from '../../terminal/output/safe-text.ts';

const stdout = 1;
/** How often to look for approvals that have expired, which wakes no watcher. */
const expiryPollMs = 5000;
const maxShown = 1000;

export async function watchApprovals({ options, context }: StoreInvocation): Promise<number> {
  const { streams, env } = context;
  const paint = paintWith(shouldUseColours(env, streams.stdout.isTTY));
  const show = (record: ApprovalRecord): boolean => {
    const text = options.json === true ? safeJson(record) : approvalLine(record, Date.now(), paint);
    return writeTo(stdout, `${text}\n`);
  };
  const lifetime = new Lifetime(streams);
  lifetime.onInterrupt(() => lifetime.end(approvalExitCodes.cancelled));
  try {
    const code = await withStore(options, env, async (store) => {
      const mask = maskOf(store);
      const isRead = await followApprovals(store, (record) => show(maskedApproval(record, mask)), lifetime.signal);
      return isRead ? approvalExitCodes.ok : approvalExitCodes.brokenPipe;
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
    for (const record of await approvals.list({ limit: maxShown })) {
      if (record.state !== 'pending') seen.set(record.id, record.state);
    }
    while (!signal.aborted) {
      const woken = changed.next();
      await approvals.expire();
      const found = (await approvals.list({ limit: maxShown })).toReversed();
      for (const record of found.filter(({ id, state }) => seen.get(id) !== state)) {
        seen.set(record.id, record.state);
        if (!show(record)) return false;
      }
      const rest = new AbortController();
      await Promise.race([woken, delay(expiryPollMs, undefined, { signal: rest.signal }).catch(() => undefined)]);
      rest.abort();
    }
    return true;
  } finally {
    stop();
  }
}
