/** The table of approvals. Some columns copy fields of the sealed body for indexes; the body is authoritative. */

import type { TableMigrations } from './table-migrations.ts';

export const approvalTables: TableMigrations = {
  1: [
    `CREATE TABLE bridle_approvals (
      namespace TEXT NOT NULL,
      id TEXT NOT NULL,
      state TEXT NOT NULL,
      session TEXT NOT NULL,
      run TEXT,
      agent TEXT NOT NULL,
      call TEXT NOT NULL,
      nth BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      body TEXT NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (namespace, id)
    )`,
    'CREATE INDEX bridle_approvals_by_state ON bridle_approvals (namespace, state, created_at)',
    'CREATE INDEX bridle_approvals_by_age ON bridle_approvals (namespace, created_at)',
    'CREATE INDEX bridle_approvals_by_run ON bridle_approvals (namespace, run, call)',
    'CREATE INDEX bridle_approvals_by_session ON bridle_approvals (namespace, session)',
  ],
};
