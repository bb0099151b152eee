import type { JournalRecord } from '../../journal/hash-chain.ts';
import type { Database } from '../database/database.ts';
import type { JournalRows } from './journal-rows.ts';
import { readRecords } from './read-journal.ts';

export interface TailOptions {
  /** How many of the last records to start with. */
  readonly count: number;
  readonly signal: AbortSignal;
  readonly follow: boolean;
  readonly topic: string;
}

/** The last records of a journal, then new ones as they arrive. */
export async function* tailJournal(
  source: { readonly queries: Database; readonly rows: JournalRows },
  { count, signal, follow, topic }: TailOptions,
): AsyncGenerator<JournalRecord, void, undefined> {
  const wakeFlag = new WakeFlag();
  const wake = (): void => wakeFlag.raise();
  // Listen before reading, or records in between would be missed.
  const stop = follow ? await source.queries.listen(topic, wake) : wake;
  signal.addEventListener('abort', wake);
  try {
    let next = Math.max(0, (await source.rows.head(source.queries)).count - count);
    while (!signal.aborted) {
      wakeFlag.reset();
      for await (const record of readRecords(source, { from: next, signal })) {
        next = record.seq + 1;
        yield record;
      }
      if (!follow) return;
      await wakeFlag.wait();
    }
  } finally {
    signal.removeEventListener('abort', wake);
    stop();
  }
}

/** Stays raised until it is reset. */
class WakeFlag {
  private resolve: () => void = () => undefined;
  private raised: Promise<void> = Promise.resolve();

  raise(): void {
    this.resolve();
  }

  reset(): void {
    this.raised = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  wait(): Promise<void> {
    return this.raised;
  }
}
