/** `bridle approvals watch`: at a terminal, a list to answer from; otherwise one line for each change. */

import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { WakeSignal } from '../../store/database/wake-signal.ts';
import type { Store } from '../../store/store.ts';
import { safeJson } from '../../terminal/output/safe-text.ts';
import { terminalOf } from '../../terminal/output/streams.ts';
import { paintFor } from '../command/command-report.ts';
import { type Invocation, usageError } from '../command/command-row.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { Lifetime } from '../command/lifetime.ts';
import { maskedApproval, maskOf } from '../command/masked-records.ts';
import { refuseAgents } from '../command/refuse-agents.ts';
import { type StoreFlags, withStore } from '../command/store-options.ts';
import { Answerer } from './answerer.ts';
import { approvalLine } from './approval-text.ts';
import { type Notification, WatchScreen } from './watch-screen.ts';

interface WatchFlags extends StoreFlags {
  readonly as?: string | undefined;
  readonly notify?: string | undefined;
}

const stdout = 1;
/** How often to look for approvals that have expired, which wakes no watcher. */
const expiryPollMs = 5000;
const maxWatched = 1000;

export async function watchApprovals(invocation: Invocation<WatchFlags>): Promise<number> {
  const notification = readNotification(invocation.options.notify);
  const lifetime = new Lifetime(invocation.streams);
  lifetime.onInterrupt(() => lifetime.end(exitCodes.cancelled));
  try {
    const code = await withStore(invocation, (store) => watch(store, { invocation, lifetime, notification }));
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
  }
}

interface WatchOptions {
  readonly invocation: Invocation<WatchFlags>;
  readonly lifetime: Lifetime;
  readonly notification: Notification | undefined;
}

function readNotification(given: string | undefined): Notification | undefined {
  if (given === undefined || given === 'bell' || given === 'desktop') return given;
  throw usageError(`--notify must be bell or desktop, not ${JSON.stringify(given)}`);
}

async function watch(store: Store, { invocation, lifetime, notification }: WatchOptions): Promise<ExitCode> {
  const { options, streams } = invocation;
  const paint = paintFor(invocation);
  const mask = maskOf(store);
  const terminal = options.json === true ? undefined : terminalOf(streams);
  if (terminal === undefined) {
    const show = (found: ApprovalRecord): boolean => {
      const record = maskedApproval(found, mask);
      return writeTo(stdout, `${options.json === true ? safeJson(record) : approvalLine(record, paint)}\n`);
    };
    return (await followApprovals(store, show, lifetime.signal)) ? exitCodes.ok : exitCodes.brokenPipe;
  }
  const answererOf = (): Answerer => {
    refuseAgents(invocation.env);
    return new Answerer(store, { streams, as: options.as });
  };
  const screen = new WatchScreen(terminal, {
    paint,
    answererOf,
    notification,
    onLeave: () => lifetime.end(exitCodes.ok),
  });
  const following = followApprovals(store, (record) => screen.update(maskedApproval(record, mask)), lifetime.signal);
  try {
    await Promise.race([screen.run(lifetime.signal), following]);
  } finally {
    lifetime.end();
    screen.close();
    await following;
  }
  return exitCodes.ok;
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
