import type { Flag } from './store-command.ts';

/** The options that every command about a store has. */
export const storeFlags: readonly Flag[] = [
  ['--store <path|url>', 'the store (default: BRIDLE_STORE, else .bridle/store.db in the folder)'],
  ['--namespace <name>', 'whose rows in it (default: default)'],
];
