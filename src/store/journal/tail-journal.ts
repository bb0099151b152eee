import type { JournalRecord } from '../../journal/chain.ts';
import type { Database } from '../database/database.ts';
import type { JournalRows } from './journal-rows.ts';
import { readRecords } from './read-journal.ts';

export interface TailOptions {
  /** How many of the last records come first. */
  readonly count: number;
  readonly signal: AbortSignal;
  readonly follow: boolean;
  readonly topic: string;
}

/** The last records of a journal, then those that come. */
export async function* tailJournal(
  source: { readonly queries: Database; readonly rows: JournalRows },
  { count, signal, follow, topic }: TailOptions,
): AsyncGenerator<JournalRecord, void, undefined> {
  const bell = new Bell();
  const ring = (): void => bell.ring();
  // Listening begins before reading: what comes between is not missed.
  const stop = follow ? await source.queries.listen(topic, ring) : ring;
  signal.addEventListener('abort', ring);
  try {
    let next = Math.max(0, (await source.rows.head(source.queries)).count - count);
    while (!signal.aborted) {
      bell.silence();
      for await (const record of readRecords(source, { from: next, signal })) {
        next = record.seq + 1;
        yield record;
      }
      if (!follow) return;
      await bell.heard();
    }
  } finally {
    signal.removeEventListener('abort', ring);
    stop();
  }
}

/** Remembers that it rang until it is silenced. */
class Bell {
  private resolve: () => void = () => undefined;
  private rung: Promise<void> = Promise.resolve();

  ring(): void {
    this.resolve();
  }

  silence(): void {
    this.rung = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  heard(): Promise<void> {
    return this.rung;
  }
}
