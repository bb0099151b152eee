/** `bridle/store`: what must survive a process, kept by SQLite in a file or by Postgres. */

export { openStore } from './open-store.ts';
export type { Store, StoreOptions } from './store.ts';
