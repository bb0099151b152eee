/** Reads `--store`, `--namespace` and `BRIDLE_STORE`, and opens the store. */

import { join } from 'node:path';
import { recordLine } from '../../journal/hash-chain.ts';
import type { StoredJournal } from '../../store/journal/open-journal.ts';
import type { Store, StoreOptions } from '../../store/store.ts';
import { bridleHome } from '../../files/bridle-home.ts';
import { type CommandEnv, type Invocation, usageError } from './command-row.ts';

export interface StoreFlags {
  readonly store?: string | undefined;
  readonly namespace?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Options for the store that `--store` or `BRIDLE_STORE` names. Commands that only read never create a store. */
export function storeOptions({ store, namespace }: StoreFlags, env: CommandEnv): StoreOptions {
  if (store?.trim() === '') throw usageError('--store is empty: give a path or a URL');
  if (namespace?.trim() === '') throw usageError('--namespace is empty: give a name');
  const named = env['BRIDLE_STORE'];
  return {
    at: store ?? (named === '' ? undefined : named),
    namespace,
    keys: join(bridleHome(env), 'keys'),
    create: false,
  };
}

/** Opens the store, runs `work`, and closes the store. */
export async function withStore<T>(
  { options, env }: Pick<Invocation<StoreFlags>, 'options' | 'env'>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { openStore } = await import('../../store/open-store.ts');
  const store = await openStore(storeOptions(options, env));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The records of a journal, as an exported journal has them. */
export async function* recordLines(journal: StoredJournal): AsyncIterable<string> {
  for await (const record of journal.read()) yield recordLine(record);
}
