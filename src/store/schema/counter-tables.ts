/**
 * The tables of counters: one sealed row per account, a mark that it exists, and the timestamps that rates look back
 * at.
 */

import type { TableMigrations } from './table-migrations.ts';

export const counterTables: TableMigrations = {
  1: [
    `CREATE TABLE bridle_counters (
      namespace TEXT NOT NULL,
      account TEXT NOT NULL,
      body TEXT NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (namespace, account)
    )`,
    'CREATE TABLE bridle_counter_marks (namespace TEXT NOT NULL, account TEXT NOT NULL, PRIMARY KEY (namespace, account))',
    `CREATE TABLE bridle_counter_times (
      namespace TEXT NOT NULL,
      account TEXT NOT NULL,
      kind TEXT NOT NULL,
      seq BIGINT NOT NULL,
      body TEXT NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (namespace, account, kind, seq)
    )`,
  ],
};
