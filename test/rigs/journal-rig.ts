/** Entries, journals to append them to, and a database whose replies can be delayed or lost. */

import type { JournalEntry, JournalRecord, NotedEntry } from 'bridle/journal';
import type { Database, Transaction } from '../../src/store/database/database.ts';
import { openJournal } from '../../src/store/journal/open-journal.ts';
import type { MaybePromise } from '../../src/kernel/maybe-promise.ts';
import type { StoreOptions } from '../../src/store/store.ts';
import type { StoreRig } from './store-rig.ts';

/** A note with this detail. */
export function noteOf(detail: unknown): NotedEntry {
  return {
    v: 1,
    at: 0,
    session: 's',
    turn: 1,
    step: 0,
    agent: ['main'],
    policy: 'p',
    kind: 'noted',
    status: 'late_result',
    detail: detail as never,
  };
}

/** An entry about a call. */
export function settledOf(call: string): JournalEntry {
  const { detail: _, ...head } = noteOf('');
  return { ...head, kind: 'settled', status: 'ok', call, tool: 't', result: `of ${call}`, elapsedMs: 1 };
}

/** The details of {@link noteOf} entries, in order. */
export async function detailsIn(records: AsyncIterable<JournalRecord>): Promise<unknown[]> {
  const details: unknown[] = [];
  for await (const { text } of records) details.push((JSON.parse(text) as { detail: unknown }).detail);
  return details;
}

export async function statusesIn(records: AsyncIterable<JournalRecord>): Promise<string[]> {
  return (await allOf(records)).map(({ text }) => (JSON.parse(text) as JournalEntry).status);
}

export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A journal on the store of a rig, with its own connection; `wrap` wraps the database. */
export async function journalOn(
  rig: StoreRig,
  { wrap = (database) => database, ...options }: StoreOptions & { wrap?: (database: Database) => Database } = {},
): Promise<ReturnType<typeof openJournal> & { readonly database: Database }> {
  const parts = await rig.parts(options);
  return { ...openJournal({ ...parts, database: wrap(parts.database) }), database: parts.database };
}

/** Wraps a real database and delays or loses its writes like a network. */
export class Wire {
  writes = 0;
  private open: Promise<void> = Promise.resolve();
  /** `answer`: it is committed, but the reply is lost. */
  lose: 'nothing' | 'question' | 'answer' = 'nothing';

  readonly wrap = (database: Database): Database => ({
    dialect: database.dialect,
    all: (sql, params) => database.all(sql, params),
    run: (sql, params) => database.run(sql, params),
    listen: (topic, wake) => database.listen(topic, wake),
    close: () => database.close(),
    write: (work) => this.write(database, work),
  });

  /** Delays every write until the returned function is called. */
  hold(): () => void {
    let letGo: (() => void) | undefined;
    this.open = new Promise((resolve) => {
      letGo = resolve;
    });
    return () => letGo?.();
  }

  private async write<T>(database: Database, work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    this.writes++;
    await this.open;
    if (this.lose === 'question') throw new TypeError('lost');
    const result = await database.write(work);
    if (this.lose === 'answer') throw new TypeError('lost');
    return result;
  }
}
