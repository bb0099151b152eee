/** The tables of sessions: one row per session, and a mark that it exists. */

import type { TableMigrations } from './table-migrations.ts';

export const sessionTables: TableMigrations = {
  1: [
    `CREATE TABLE bridle_sessions (
      namespace TEXT NOT NULL,
      id TEXT NOT NULL,
      saved_at BIGINT NOT NULL,
      body TEXT NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (namespace, id)
    )`,
    'CREATE TABLE bridle_session_marks (namespace TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (namespace, id))',
    'CREATE INDEX bridle_sessions_by_age ON bridle_sessions (namespace, saved_at)',
  ],
};
