/** What every command about a store is told: which store, and whose rows in it. */

import { join } from 'node:path';
import type { Store, StoreOptions } from '../../store/store.ts';
import { usageError } from './usage-error.ts';
import { bridleHome } from './bridle-home.ts';

export interface StoreFlags {
  readonly store?: string | undefined;
  readonly namespace?: string | undefined;
  readonly json?: boolean | undefined;
}

export type CommandEnv = Readonly<Record<string, string | undefined>>;

/** The store that was named, by `--store`, by `BRIDLE_STORE`, or not at all: a command makes none by looking. */
export function storeOptions({ store, namespace }: StoreFlags, env: CommandEnv): StoreOptions {
  if (store?.trim() === '') throw usageError('--store takes a path or a URL, and this one is empty');
  if (namespace?.trim() === '') throw usageError('--namespace takes a name, and this one is empty');
  const named = env['BRIDLE_STORE'];
  return {
    at: store ?? (named === '' ? undefined : named),
    namespace,
    keys: join(bridleHome(env), 'keys'),
    create: false,
  };
}

/** Opens that store for as long as `work` takes. */
export async function withStore<T>(flags: StoreFlags, env: CommandEnv, work: (store: Store) => Promise<T>): Promise<T> {
  const { openStore } = await import('../../store/open-store.ts');
  const store = await openStore(storeOptions(flags, env));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
