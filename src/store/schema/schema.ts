/**
 * All tables of a store. Every row belongs to a namespace, so the column `namespace` comes first in each table, key and
 * index. Most rows are sealed: `body` is authoritative, and other columns copy fields of it for indexes.
 */

import type { ColumnType, Dialect } from '../database/dialects.ts';

type Columns = Readonly<Record<string, ColumnType | 'optional text'>>;

export interface Table {
  /** The version of the store that added this table. Default: 1. */
  readonly since?: number;
  /** The primary key. */
  readonly key: Columns;
  readonly columns: Columns;
  /** The columns that may change, besides those of a sealed row. Others are not updated, so neither are their indexes. */
  readonly changing?: readonly string[];
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
}

const sealed = { body: 'text', mac: 'text' } as const;

export const tables = {
  bridle_namespaces: { key: {}, columns: { fingerprint: 'text', created_at: 'number' } },

  // The previous hash is not stored: it is in the row before.
  bridle_journal: { key: { seq: 'number' }, columns: { hash: 'text', text: 'text' } },
  bridle_journal_checkpoints: {
    key: { count: 'number' },
    columns: { hash: 'text', at: 'number', key: 'text', signature: 'text' },
  },
  bridle_journal_heads: { key: {}, columns: sealed },

  bridle_approvals: {
    key: { id: 'text' },
    columns: {
      state: 'text',
      session: 'text',
      run: 'optional text',
      agent: 'text',
      call: 'text',
      nth: 'number',
      created_at: 'number',
      expires_at: 'number',
      ...sealed,
    },
    changing: ['state'],
    indexes: {
      by_state: ['state', 'created_at'],
      by_age: ['created_at'],
      by_run: ['run', 'call'],
      by_session: ['session'],
    },
  },
  bridle_answers: {
    key: { id: 'text' },
    columns: { for_group: 'optional text', kept_at: 'number', until_at: 'number', ...sealed },
    indexes: { by_group: ['for_group'], by_end: ['until_at'], by_age: ['kept_at'] },
  },

  bridle_counters: { key: { account: 'text' }, columns: sealed },
  bridle_counter_marks: { key: { account: 'text' }, columns: {} },
  bridle_counter_times: { key: { account: 'text', kind: 'text', seq: 'number' }, columns: sealed },

  bridle_sessions: {
    key: { id: 'text' },
    columns: { saved_at: 'number', ...sealed },
    changing: ['saved_at'],
    indexes: { by_age: ['saved_at'] },
  },
  bridle_session_marks: { key: { id: 'text' }, columns: {} },

  bridle_runs: {
    key: { id: 'text' },
    columns: {
      agent: 'text',
      state: 'text',
      segment: 'number',
      lease_until: 'number',
      created_at: 'number',
      updated_at: 'number',
      ...sealed,
    },
    changing: ['state', 'segment', 'lease_until', 'updated_at'],
    indexes: { by_state: ['state', 'updated_at'], by_age: ['created_at'] },
  },
  bridle_run_values: { key: { run: 'text', name: 'text' }, columns: sealed },
  bridle_run_steps: { key: { run: 'text', seq: 'number' }, columns: sealed },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof tables;

/** By schema version: the statements that migrate a store from the previous version. */
export type Migrations = Readonly<Record<number, readonly string[]>>;

/**
 * The migrations of the store: each version creates the tables that it added. A version never changes after it was
 * released, because a new store runs all of them. A change of an existing table is a new version with its own statements.
 */
export function storeMigrations(dialect: Dialect, all: Readonly<Record<string, Table>> = tables): Migrations {
  const migrations: Record<number, string[]> = {};
  for (const [name, table] of Object.entries(all)) {
    (migrations[table.since ?? 1] ??= []).push(...definitionsOf(name, table, dialect));
  }
  return migrations;
}

function definitionsOf(name: string, { key, columns, indexes = {} }: Table, { types }: Dialect): readonly string[] {
  const all: Columns = { namespace: 'text', ...key, ...columns };
  const defined = Object.entries(all).map(([column, type]) =>
    type === 'optional text' ? `${column} ${types.text}` : `${column} ${types[type]} NOT NULL`,
  );
  const primaryKey = `PRIMARY KEY (${['namespace', ...Object.keys(key)].join(', ')})`;
  return [
    `CREATE TABLE ${name} (${[...defined, primaryKey].join(', ')})`,
    ...Object.entries(indexes).map(
      ([index, indexed]) => `CREATE INDEX ${name}_${index} ON ${name} (${['namespace', ...indexed].join(', ')})`,
    ),
  ];
}
