import type { Flag } from './store-command.ts';

/** The options that choose a store. */
export const storeFlags: readonly Flag[] = [
  ['--store <path|url>', 'the store (default: BRIDLE_STORE, else .bridle/store.db in the folder)'],
  ['--namespace <name>', 'the namespace in the store (default: "default")'],
];
