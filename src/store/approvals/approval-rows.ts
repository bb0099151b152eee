/**
 * The rows of approvals. Updates are compare-and-swap on the MAC of the version that was read: if two processes update
 * a row at the same time, one wins and the other sees the result.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Queries, Row, SqlValue, Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace-context.ts';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import { isApprovalState } from '../../approvals/signing/approval-states.ts';

/** A record as it was read. */
export interface ApprovalRow {
  readonly record: ApprovalRecord;
  /** Grows with every change. */
  readonly version: number;
  /** How many earlier records are about the same call of a run. */
  readonly nth: number;
  /** A random id of the last change, to distinguish identical changes. */
  readonly tag: string;
  readonly mac: string;
}

interface ApprovalBody extends ApprovalRecord {
  readonly version: number;
  readonly nth: number;
  readonly tag: string;
}

const table = 'bridle_approvals';

/** Room for the largest args twice: a record contains them in full and in short. */
const maxCharacters = 16 * 1024 * 1024;

export class ApprovalRows {
  constructor(private readonly context: Pick<NamespaceContext, 'namespace' | 'sealer'>) {}

  async read(queries: Queries, id: string): Promise<ApprovalRow | undefined> {
    const [row] = await this.select(queries, 'id = ?', [id]);
    // A damaged index can return the row of another approval.
    if (row !== undefined && row.record.id !== id)
      throw damagedApproval(id, `the store returned the row of ${row.record.id} instead`);
    return row;
  }

  /** Rows that match a condition, which may end with an order and a limit. */
  async select(queries: Queries, condition: string, values: readonly SqlValue[]): Promise<readonly ApprovalRow[]> {
    const rows = await queries.all(`SELECT * FROM ${table} WHERE namespace = ? AND ${condition}`, [
      this.context.namespace,
      ...values,
    ]);
    return rows.map((row) => this.open(row));
  }

  async insert(transaction: Transaction, record: ApprovalRecord, tag: string): Promise<void> {
    const { id, state, session, run = null, call, createdAt, expiresAt } = record;
    const agent = JSON.stringify(record.agent);
    const nth = run === null ? 0 : await this.countEarlier(transaction, [run, agent, call]);
    const { body, mac } = this.seal({ ...record, version: 1, nth, tag });
    const inserted = await transaction.run(
      `INSERT INTO ${table}
         (namespace, id, state, session, run, agent, call, nth, created_at, expires_at, body, mac)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [this.context.namespace, id, state, session, run, agent, call, nth, createdAt, expiresAt, body, mac],
    );
    if (inserted !== 1) throw new BridleError('STORE_CONFLICT', `The approval ${id} already exists.`);
  }

  /** False if the row has changed since it was read. */
  async swap(
    transaction: Transaction,
    row: ApprovalRow,
    { record, tag }: Pick<ApprovalRow, 'record' | 'tag'>,
  ): Promise<boolean> {
    const { body, mac } = this.seal({ ...record, version: row.version + 1, nth: row.nth, tag });
    const changed = await transaction.run(
      `UPDATE ${table} SET state = ?, body = ?, mac = ? WHERE namespace = ? AND id = ? AND mac = ?`,
      [record.state, body, mac, this.context.namespace, record.id, row.mac],
    );
    return changed === 1;
  }

  /** Numbers the questions about one call, so that their order does not depend on clocks. */
  private async countEarlier(
    transaction: Transaction,
    [run, agent, call]: readonly [string, string, string],
  ): Promise<number> {
    const { namespace } = this.context;
    await transaction.lock(`approvals:${namespace}:${run}`);
    const [row] = await transaction.all(
      `SELECT COUNT(*) AS n FROM ${table} WHERE namespace = ? AND run = ? AND agent = ? AND call = ?`,
      [namespace, run, agent, call],
    );
    return Number(row?.['n'] ?? 0);
  }

  private seal(body: ApprovalBody): { readonly body: string; readonly mac: string } {
    const text = JSON.stringify(body);
    if (text.length > maxCharacters) {
      throw new BridleError('OPTION_INVALID', `The approval ${body.id} is larger than ${maxCharacters} characters.`);
    }
    return this.context.sealer.seal({ table, key: [body.id] }, text);
  }

  private open(row: Row): ApprovalRow {
    const id = String(row['id']);
    const body = JSON.parse(this.context.sealer.open({ table, key: [id] }, row)) as ApprovalBody;
    const copies = [row['id'], row['state'], row['session'], row['run'], row['agent'], row['call'], row['nth']];
    const { version, nth, tag, ...record } = body;
    const { state, session, run = null, agent, call } = record;
    const sealed = [record.id, state, session, run, JSON.stringify(agent), call, nth];
    const times = row['created_at'] === record.createdAt && row['expires_at'] === record.expiresAt;
    if (!times || sealed.some((value, at) => value !== copies[at]) || !isApprovalState(state)) {
      throw damagedApproval(id, 'its index columns do not match its sealed body');
    }
    return { record, version, nth, tag, mac: String(row['mac']) };
  }
}

function damagedApproval(id: string, what: string): BridleError {
  return new BridleError('STORE_DAMAGED', `The approval ${id} is damaged: ${what}. Bridle does not use it.`);
}
