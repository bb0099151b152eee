/** `bridle journal tail`: shows the last records and, with `--follow`, new ones. */

import type { JournalRecord } from '../../journal/hash-chain.ts';
import { shouldUseColours } from '../output/command-report.ts';
import { journalExitCodes } from '../exit/journal-exit-codes.ts';
import { recordJson, recordSummary } from './record-text.ts';
import { Lifetime } from '../exit/lifetime.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import { usageError } from '../options/usage-error.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { type StoreFlags, withStore } from '../options/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';

export interface TailFlags extends StoreFlags {
  readonly lines?: string | undefined;
  readonly follow?: boolean | undefined;
}

const stdout = 1;

export async function tailRecords({ options, context }: StoreInvocation<TailFlags>): Promise<number> {
  const count = readCount('--lines', options.lines ?? '10');
  const { streams, env } = context;
  const paint = paintWith(shouldUseColours(env, streams.stdout.isTTY));
  const show = (record: JournalRecord): string =>
    options.json === true ? recordJson(record) : recordSummary(record, paint);
  const lifetime = new Lifetime(streams);
  lifetime.onInterrupt(() => lifetime.end(journalExitCodes.cancelled));
  try {
    const code = await withStore(options, env, async ({ journal }) => {
      const follow = options.follow === true;
      for await (const record of journal.tail(count, { signal: lifetime.signal, follow })) {
        if (!writeTo(stdout, `${show(record)}\n`)) return journalExitCodes.brokenPipe;
      }
      return journalExitCodes.ok;
    });
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
  }
}

/** Reads a non-negative integer. */
export function readCount(flag: string, given: string): number {
  const count = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw usageError(`${flag} must be a whole number, not ${JSON.stringify(given)}`);
}
