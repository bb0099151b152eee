/** `bridle approvals watch`: what waits, and what becomes of it, as it happens. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalRecord } from '../store/approvals/approval-record.ts';
import { Bell } from '../store/approvals/bell.ts';
import type { Store } from '../store/store.ts';
import { approvalExitCodes } from './approval-exit-codes.ts';
import { approvalLine } from './approval-text.ts';
import { wantsColours } from './command-report.ts';
import { Lifetime } from './lifetime.ts';
import { maskedApproval, maskOf } from './masked-records.ts';
import { paintWith } from './paint.ts';
import type { StoreRun } from './store-command.ts';
import { withStore } from './store-options.ts';
import { writeTo } from './sync-io.ts';
import { safeJson } from './visible-text.ts';

const stdout = 1;
/** What is over by the clock alone is noticed after this long. */
const lookMs = 5000;
const mostShown = 1000;

export async function watchApprovals({ options, scene }: StoreRun): Promise<number> {
  const { streams, env } = scene;
  const paint = paintWith(wantsColours(env, streams.stdout.isTTY));
  const show = (record: ApprovalRecord): boolean => {
    const text = options.json === true ? safeJson(record) : approvalLine(record, Date.now(), paint);
    return writeTo(stdout, `${text}\n`);
  };
  const lifetime = new Lifetime(streams);
  lifetime.onInterrupt(() => lifetime.end(approvalExitCodes.cancelled));
  try {
    const code = await withStore(options, env, async (store) => {
      const mask = maskOf(store);
      const isRead = await follow(store, (record) => show(maskedApproval(record, mask)), lifetime.signal);
      return isRead ? approvalExitCodes.ok : approvalExitCodes.unread;
    });
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
  }
}

/** Tells each approval once per state, those that wait first; false when nobody reads any more. */
async function follow(
  { approvals }: Store,
  show: (record: ApprovalRecord) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const seen = new Map<string, string>();
  const bell = new Bell();
  const stop = await approvals.watch(() => bell.ring());
  signal.addEventListener('abort', () => bell.ring(), { once: true });
  try {
    for (const record of await approvals.list({ limit: mostShown })) {
      if (record.state !== 'pending') seen.set(record.id, record.state);
    }
    while (!signal.aborted) {
      const rung = bell.next();
      await approvals.expire();
      const found = (await approvals.list({ limit: mostShown })).toReversed();
      for (const record of found.filter(({ id, state }) => seen.get(id) !== state)) {
        seen.set(record.id, record.state);
        if (!show(record)) return false;
      }
      const rest = new AbortController();
      await Promise.race([rung, delay(lookMs, undefined, { signal: rest.signal }).catch(() => undefined)]);
      rest.abort();
    }
    return true;
  } finally {
    stop();
  }
}
