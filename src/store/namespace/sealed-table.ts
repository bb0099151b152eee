/**
 * A table of sealed rows. Updates are compare-and-swap on the MAC of the row that was read: if two processes update a
 * row at the same time, one wins and the other sees the result.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Queries, Row, SqlValue, Transaction } from '../database/database.ts';
import { tables, type TableName } from '../schema/schema.ts';
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
  private readonly keyColumns: readonly string[];
  /** Selects one row by its key. */
  private readonly where: string;

  constructor(
    private readonly context: Pick<NamespaceContext, 'namespace' | 'sealer'>,
    private readonly table: TableName,
    private readonly options: SealedTableOptions<Body> = {},
  ) {
    this.keyColumns = ['namespace', ...Object.keys(tables[table].key)];
    this.where = this.keyColumns.map((column) => `${column} = ?`).join(' AND ');
  }

  async read(queries: Queries, key: RowKey): Promise<SealedRow<Body> | undefined> {
    const values = [this.context.namespace, ...key];
    const [row] = await queries.all(`SELECT * FROM ${this.table} WHERE ${this.where}`, values);
    if (row !== undefined) return this.open(row, key);
    const { marks } = this.options;
    if (marks === undefined) return undefined;
    const marked = await queries.all(`SELECT namespace FROM ${marks.table} WHERE ${this.where}`, values);
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
    const [sql, values] = this.insertion(row, columns);
    const inserted = await transaction.run(`${sql} ON CONFLICT DO NOTHING`, values);
    const { marks } = this.options;
    if (inserted === 1 && marks !== undefined) {
      const placeholders = this.keyColumns.map(() => '?').join(', ');
      await transaction.run(
        `INSERT INTO ${marks.table} (${this.keyColumns.join(', ')}) VALUES (${placeholders})`,
        values.slice(0, this.keyColumns.length),
      );
    }
    return inserted === 1;
  }

  /** Inserts a row or replaces the row with the same key. */
  async put(transaction: Transaction, row: SealedRow<Body>, columns: ColumnValues = {}): Promise<void> {
    const [sql, values] = this.insertion(row, columns);
    const replaced = Object.keys(this.columnsOf(row, columns)).map((column) => `${column} = excluded.${column}`);
    const key = this.keyColumns.join(', ');
    await transaction.run(`${sql} ON CONFLICT (${key}) DO UPDATE SET ${replaced.join(', ')}`, values);
  }

  /** Replaces a row with the same key. False if it has changed since it was read. */
  async swap(
    transaction: Transaction,
    before: SealedRow<Body>,
    { row, columns = {} }: { readonly row: SealedRow<Body>; readonly columns?: ColumnValues },
  ): Promise<boolean> {
    const old = this.columnsOf(before, {});
    // Unchanged columns are left out, so that their indexes are not written.
    const changed = Object.entries(this.columnsOf(row, columns)).filter(([column, value]) => value !== old[column]);
    const assignments = changed.map(([column]) => `${column} = ?`).join(', ');
    const swapped = await transaction.run(`UPDATE ${this.table} SET ${assignments} WHERE ${this.where} AND mac = ?`, [
      ...changed.map(([, value]) => value),
      this.context.namespace,
      ...row.key,
      before.mac,
    ]);
    return swapped === 1;
  }

  /** Deletes a row and its mark. */
  async delete(transaction: Transaction, key: RowKey): Promise<void> {
    for (const table of [this.table, this.options.marks?.table]) {
      if (table === undefined) continue;
      await transaction.run(`DELETE FROM ${table} WHERE ${this.where}`, [this.context.namespace, ...key]);
    }
  }

  private columnsOf({ body, text, mac }: SealedRow<Body>, columns: ColumnValues): ColumnValues {
    return { ...this.options.copies?.(body), ...columns, body: text, mac };
  }

  private insertion(row: SealedRow<Body>, columns: ColumnValues): readonly [string, readonly SqlValue[]] {
    const others = this.columnsOf(row, columns);
    const names = [...this.keyColumns, ...Object.keys(others)];
    const placeholders = names.map(() => '?').join(', ');
    const values = [this.context.namespace, ...row.key, ...Object.values(others)];
    return [`INSERT INTO ${this.table} (${names.join(', ')}) VALUES (${placeholders})`, values];
  }

  /** Verifies a row. `asked`: the expected key, since a damaged index can return the row of another key. */
  private open(row: Row, asked?: RowKey): SealedRow<Body> {
    const { table } = this;
    const key = this.keyColumns.slice(1).map((column) => row[column]) as RowKey;
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

/** A condition with its values: each column has the given value. Undefined values are ignored. */
export function equalTo(
  filters: Readonly<Record<string, SqlValue | undefined>>,
): readonly [condition: string, values: readonly SqlValue[]] {
  const given = Object.entries(filters).filter((each): each is [string, SqlValue] => each[1] !== undefined);
  return [['1 = 1', ...given.map(([column]) => `${column} = ?`)].join(' AND '), given.map(([, value]) => value)];
}
