/**
 * A table of sealed rows. Updates are compare-and-swap on the MAC of the row that was read: if two processes update a
 * row at the same time, one wins and the other sees the result.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Queries, Row, SqlValue, Transaction } from '../database/database.ts';
import { type Table, type TableName, tables } from '../schema/schema.ts';
import type { NamespaceContext } from './namespace.ts';
import { damagedRow, type RowKey } from './sealed-row.ts';

/** A row as it was read, or as it is going to be written. */
export interface SealedRow<Body> {
  readonly key: RowKey;
  readonly body: Body;
  /** The stored form of the body. */
  readonly text: string;
  readonly mac: string;
}

type ColumnValues = Readonly<Record<string, SqlValue>>;

export interface SealedTableOptions<Body> {
  /** The columns that copy fields of the body for indexes. A row whose columns differ from its body is refused. */
  readonly copies?: (body: Body) => ColumnValues;
  /** False for a body that cannot be used, although its seal is valid. */
  readonly isValid?: (body: Body) => boolean;
  /** True: the bodies contain the state of runs or sessions, so they are encrypted if the store says so. */
  readonly isState?: boolean;
  /** The largest body. Default: no limit. */
  readonly maxCharacters?: number;
  /** A table that marks which rows exist. Without it, a lost row would look like one that was never written. */
  readonly marks?: { readonly table: TableName; readonly lost: (key: RowKey) => BridleError };
}

export class SealedTable<Body extends object> {
  private readonly sql: Statements;

  constructor(
    private readonly context: Pick<NamespaceContext, 'namespace' | 'sealer'>,
    private readonly table: TableName,
    private readonly options: SealedTableOptions<Body> = {},
  ) {
    this.sql = statementsOf(table);
  }

  async read(queries: Queries, key: RowKey): Promise<SealedRow<Body> | undefined> {
    const values = [this.context.namespace, ...key];
    const [row] = await queries.all(this.sql.read, values);
    if (row !== undefined) return this.open(row, key);
    const { marks } = this.options;
    if (marks === undefined) return undefined;
    const marked = await queries.all(statementsOf(marks.table).read, values);
    if (marked.length > 0) throw marks.lost(key);
    return undefined;
  }

  /** Rows that match a condition, which may end with an order and a limit. */
  async select(
    queries: Queries,
    condition: string,
    values: readonly SqlValue[] = [],
  ): Promise<readonly SealedRow<Body>[]> {
    const sql = `SELECT * FROM ${this.table} WHERE namespace = ? AND ${condition}`;
    const rows = await queries.all(sql, [this.context.namespace, ...values]);
    return rows.map((row) => this.open(row));
  }

  /** A row to write. */
  seal(key: RowKey, body: Body): SealedRow<Body> {
    const { isState = false, maxCharacters = Number.POSITIVE_INFINITY } = this.options;
    const plain = JSON.stringify(body);
    if (plain.length > maxCharacters) {
      const row = `The row ${JSON.stringify(key)} of ${this.table}`;
      throw new BridleError('OPTION_INVALID', `${row} is larger than ${maxCharacters} characters.`);
    }
    const { sealer } = this.context;
    const id = { table: this.table, key };
    const stored = isState ? sealer.sealState(id, plain) : sealer.seal(id, plain);
    return { key, body, text: stored.body, mac: stored.mac };
  }

  /** False if there is a row with this key. */
  async insert(transaction: Transaction, row: SealedRow<Body>, columns: ColumnValues = {}): Promise<boolean> {
    const inserted = await transaction.run(this.sql.insert, this.valuesOf(row, columns));
    const { marks } = this.options;
    if (inserted === 1 && marks !== undefined) {
      const marked = await transaction.run(statementsOf(marks.table).insert, [this.context.namespace, ...row.key]);
      if (marked !== 1) throw marks.lost(row.key);
    }
    return inserted === 1;
  }

  /** Inserts a row or replaces the row with the same key. */
  async put(transaction: Transaction, row: SealedRow<Body>, columns: ColumnValues = {}): Promise<void> {
    await transaction.run(this.sql.put, this.valuesOf(row, columns));
  }

  /** Replaces a row with the same key. False if it has changed since it was read. */
  async swap(
    transaction: Transaction,
    before: SealedRow<Body>,
    { row, columns = {} }: { readonly row: SealedRow<Body>; readonly columns?: ColumnValues },
  ): Promise<boolean> {
    const all = this.columnsOf(row, columns);
    const changed = this.sql.changing.map((column) => all[column] as SqlValue);
    const values = [...changed, row.text, row.mac, this.context.namespace, ...row.key, before.mac];
    return (await transaction.run(this.sql.swap, values)) === 1;
  }

  /** Deletes a row and its mark. */
  async delete(transaction: Transaction, key: RowKey): Promise<void> {
    const values = [this.context.namespace, ...key];
    await transaction.run(this.sql.delete, values);
    const { marks } = this.options;
    if (marks !== undefined) await transaction.run(statementsOf(marks.table).delete, values);
  }

  private columnsOf({ body, text, mac }: SealedRow<Body>, columns: ColumnValues): ColumnValues {
    return { ...this.options.copies?.(body), ...columns, body: text, mac };
  }

  /** The values of all columns, in the order of the schema. */
  private valuesOf(row: SealedRow<Body>, columns: ColumnValues): readonly SqlValue[] {
    const all = this.columnsOf(row, columns);
    return [this.context.namespace, ...row.key, ...this.sql.columns.map((column) => all[column] as SqlValue)];
  }

  /** Verifies a row. `asked`: the expected key, since a damaged index can return the row of another key. */
  private open(row: Row, asked?: RowKey): SealedRow<Body> {
    const { table } = this;
    const key = this.sql.key.map((column) => row[column]) as RowKey;
    if (asked?.some((part, at) => part !== key[at]) === true) {
      throw damagedRow({ table, key: asked }, `the store returned the row ${JSON.stringify(key)} instead`);
    }
    const body = JSON.parse(this.context.sealer.open({ table, key }, row)) as Body;
    const { copies, isValid } = this.options;
    const isCopied = Object.entries(copies?.(body) ?? {}).every(([column, value]) => row[column] === value);
    if (!isCopied || isValid?.(body) === false) {
      throw damagedRow({ table, key }, 'its index columns do not match its sealed body');
    }
    return { key, body, text: String(row['body']), mac: String(row['mac']) };
  }
}

/** The columns of a table and its statements, by its schema. */
interface Statements {
  /** Without the namespace. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly changing: readonly string[];
  readonly read: string;
  readonly insert: string;
  readonly put: string;
  readonly swap: string;
  readonly delete: string;
}

const allStatements = new Map<TableName, Statements>();

function statementsOf(table: TableName): Statements {
  const made = allStatements.get(table) ?? makeStatements(table, tables[table]);
  allStatements.set(table, made);
  return made;
}

function makeStatements(table: TableName, { key, columns, changing = [] }: Table): Statements {
  const keys = ['namespace', ...Object.keys(key)];
  const others = Object.keys(columns);
  const where = keys.map((column) => `${column} = ?`).join(' AND ');
  const names = [...keys, ...others];
  const insert = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT`;
  const replaced = others.map((column) => `${column} = excluded.${column}`).join(', ');
  const updated = [...changing, 'body', 'mac'].map((column) => `${column} = ?`).join(', ');
  return {
    key: Object.keys(key),
    columns: others,
    changing,
    read: `SELECT * FROM ${table} WHERE ${where}`,
    insert: `${insert} DO NOTHING`,
    put: `${insert} (${keys.join(', ')}) DO UPDATE SET ${replaced}`,
    swap: `UPDATE ${table} SET ${updated} WHERE ${where} AND mac = ?`,
    delete: `DELETE FROM ${table} WHERE ${where}`,
  };
}

/** A condition with its values: each column has the given value. Undefined values are ignored. */
export function equalTo(
  filters: Readonly<Record<string, SqlValue | undefined>>,
): readonly [condition: string, values: readonly SqlValue[]] {
  const given = Object.entries(filters).filter((each): each is [string, SqlValue] => each[1] !== undefined);
  return [['1 = 1', ...given.map(([column]) => `${column} = ?`)].join(' AND '), given.map(([, value]) => value)];
}
