/** The tables of runs. Some columns copy fields of the sealed body for indexes; the body is authoritative. */

import type { TableMigrations } from './table-migrations.ts';

export const runTables: TableMigrations = {
  1: [
    `CREATE TABLE bridle_runs (
      namespace TEXT NOT NULL,
      id TEXT NOT NULL,
      agent TEXT NOT NULL,
      state TEXT NOT NULL,
      segment BIGINT NOT NULL,
      lease_until BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      body TEXT NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (namespace, id)
    )`,
    'CREATE INDEX bridle_runs_by_state ON bridle_runs (namespace, state, updated_at)',
    'CREATE INDEX bridle_runs_by_age ON bridle_runs (namespace, created_at)',
    `CREATE TABLE bridle_run_values (
      namespace TEXT NOT NULL,
      run TEXT NOT NULL,
      name TEXT NOT NULL,
      body TEXT NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (namespace, run, name)
    )`,
    `CREATE TABLE bridle_run_steps (
      namespace TEXT NOT NULL,
      run TEXT NOT NULL,
      seq BIGINT NOT NULL,
      body TEXT NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (namespace, run, seq)
    )`,
  ],
};
