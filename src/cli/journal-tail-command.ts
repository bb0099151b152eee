/** `bridle journal tail`: the last records, and those that come. */

import type { JournalRecord } from '../journal/chain.ts';
import { wantsColours } from './command-report.ts';
import { journalExitCodes } from './journal-exit-codes.ts';
import { recordJson, recordSummary } from './journal-record-text.ts';
import { Lifetime } from './lifetime.ts';
import { paintWith } from './paint.ts';
import { wrong } from './wrong-use.ts';
import type { StoreRun } from './store-command.ts';
import { type StoreFlags, withStore } from './store-options.ts';
import { writeTo } from './sync-io.ts';

export interface TailFlags extends StoreFlags {
  readonly lines?: string | undefined;
  readonly follow?: boolean | undefined;
}

const stdout = 1;

export async function tailCommand({ options, scene }: StoreRun<TailFlags>): Promise<number> {
  const count = readCount('--lines', options.lines ?? '10');
  const { streams, env } = scene;
  const paint = paintWith(wantsColours(env, streams.stdout.isTTY));
  const show = (record: JournalRecord): string =>
    options.json === true ? recordJson(record) : recordSummary(record, paint);
  const lifetime = new Lifetime(streams);
  lifetime.onInterrupt(() => lifetime.end(journalExitCodes.cancelled));
  try {
    const code = await withStore(options, env, async ({ journal }) => {
      const follow = options.follow === true;
      for await (const record of journal.tail(count, { signal: lifetime.signal, follow })) {
        if (!writeTo(stdout, `${show(record)}\n`)) return journalExitCodes.unread;
      }
      return journalExitCodes.ok;
    });
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
  }
}

/** A whole number that is not negative. */
export function readCount(flag: string, given: string): number {
  const count = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw wrong(`${flag} takes a whole number, not ${JSON.stringify(given)}`);
}
