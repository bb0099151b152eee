import type { TableMigrations } from './table-migrations.ts';

/** The tables of the journal. The previous hash is not stored: it is in the row before. */
export const journalTables: TableMigrations = {
  1: [
    `CREATE TABLE bridle_journal (
      namespace TEXT NOT NULL,
      seq BIGINT NOT NULL,
      hash TEXT NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (namespace, seq)
    )`,
    `CREATE TABLE bridle_journal_checkpoints (
      namespace TEXT NOT NULL,
      count BIGINT NOT NULL,
      hash TEXT NOT NULL,
      at BIGINT NOT NULL,
      key TEXT NOT NULL,
      signature TEXT NOT NULL,
      PRIMARY KEY (namespace, count)
    )`,
    'CREATE TABLE bridle_journal_heads (namespace TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, mac TEXT NOT NULL)',
  ],
};
