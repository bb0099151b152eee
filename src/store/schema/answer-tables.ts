/**
 * The table of remembered answers. Some columns copy fields of the sealed body for indexes; the body is authoritative.
 */

import type { TableMigrations } from './table-migrations.ts';

export const answerTables: TableMigrations = {
  1: [
    `CREATE TABLE bridle_answers (
      namespace TEXT NOT NULL,
      id TEXT NOT NULL,
      for_group TEXT,
      kept_at BIGINT NOT NULL,
      until_at BIGINT NOT NULL,
      body TEXT NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (namespace, id)
    )`,
    'CREATE INDEX bridle_answers_by_group ON bridle_answers (namespace, for_group)',
    'CREATE INDEX bridle_answers_by_end ON bridle_answers (namespace, until_at)',
    'CREATE INDEX bridle_answers_by_age ON bridle_answers (namespace, kept_at)',
  ],
};
