/**
 * The rows with the state of runs. Updates are compare-and-swap on the MAC of the version that was read: if two
 * processes update a row at the same time, one wins and the other sees the result.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { ProcessIdentity } from '../../approvals/signing/approval-record.ts';
import type { Queries, Row, Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace-context.ts';
import type { RunState } from './run-record.ts';

/** The sealed body of a run, without its values and steps. */
export interface RunBody {
  /** Grows with every change. */
  readonly version: number;
  readonly agent: string;
  readonly state: RunState;
  readonly segment: number;
  readonly owner: ProcessIdentity | null;
  readonly leaseUntil: number;
  readonly error: string | null;
  readonly waitingFor: readonly string[];
  readonly steps: number;
  /** The version of the current state; 0 if there is none. */
  readonly stateVersion: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A row as it was read. */
export interface RunRow extends RunBody {
  readonly id: string;
  readonly mac: string;
}

export type RunChange = Partial<Omit<RunBody, 'version' | 'agent' | 'createdAt' | 'updatedAt'>>;

const table = 'bridle_runs';
const states: ReadonlySet<string> = new Set<RunState>(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']);

export class RunRows {
  constructor(private readonly context: NamespaceContext) {}

  /** Taken to suspend a run and to wake it, so that neither misses the other. */
  lock(transaction: Transaction, id: string): Promise<void> | void {
    return transaction.lock(`run:${this.context.namespace}:${id}`);
  }

  /** Notifies all listeners that a run was queued or has ended. */
  notify(transaction: Transaction): Promise<void> | void {
    return transaction.notify(runsTopic(this.context));
  }

  async read(queries: Queries, id: string): Promise<RunRow | undefined> {
    const [row] = await queries.all(`SELECT * FROM ${table} WHERE namespace = ? AND id = ?`, [
      this.context.namespace,
      id,
    ]);
    return row === undefined ? undefined : this.open(row, id);
  }

  /** False if the id already exists. */
  async insert(transaction: Transaction, id: string, body: RunBody): Promise<boolean> {
    const { body: sealed, mac } = this.seal(id, body);
    const { agent, state, segment, leaseUntil, createdAt, updatedAt } = body;
    const inserted = await transaction.run(
      `INSERT INTO ${table} (namespace, id, agent, state, segment, lease_until, created_at, updated_at, body, mac)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [this.context.namespace, id, agent, state, segment, leaseUntil, createdAt, updatedAt, sealed, mac],
    );
    return inserted === 1;
  }

  /** The row after the change; undefined if it has changed since it was read. */
  async swap(transaction: Transaction, row: RunRow, change: RunChange & { now: number }): Promise<RunRow | undefined> {
    const { now, ...changes } = change;
    const { id, mac, ...before } = row;
    const updatedAt = Math.max(now, row.updatedAt);
    const body: RunBody = { ...before, ...changes, version: row.version + 1, updatedAt };
    const sealed = this.seal(id, body);
    const changed = await transaction.run(
      `UPDATE ${table} SET state = ?, segment = ?, lease_until = ?, updated_at = ?, body = ?, mac = ?
       WHERE namespace = ? AND id = ? AND mac = ?`,
      [body.state, body.segment, body.leaseUntil, updatedAt, sealed.body, sealed.mac, this.context.namespace, id, mac],
    );
    return changed === 1 ? { ...body, id, mac: sealed.mac } : undefined;
  }

  /**
   * Verifies a row and opens its body. `asked`: the expected id, since a damaged index can return the row of another
   * run.
   */
  open(row: Row, asked = String(row['id'])): RunRow {
    const id = String(row['id']);
    if (id !== asked) throw damagedRun(asked, `the store returned the row of "${id}" instead`);
    const { mac } = row;
    const body = JSON.parse(this.context.sealer.open({ table, key: [id] }, row)) as RunBody;
    const copies = [row['agent'], row['state'], row['segment'], row['lease_until'], row['created_at']];
    const sealed = [body.agent, body.state, body.segment, body.leaseUntil, body.createdAt];
    if (sealed.some((value, at) => value !== copies[at]) || !states.has(body.state)) {
      throw damagedRun(id, 'its index columns do not match its sealed body');
    }
    return { ...body, id, mac: String(mac) };
  }

  private seal(id: string, body: RunBody): { readonly body: string; readonly mac: string } {
    return this.context.sealer.sealState({ table, key: [id] }, JSON.stringify(body));
  }
}

export function runsTopic({ namespace }: Pick<NamespaceContext, 'namespace'>): string {
  return `runs:${namespace}`;
}

export function damagedRun(id: string, what: string): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The run "${id}" is damaged: ${what}. Bridle does not use it: restore the store from a backup, or cancel the run.`,
  );
}
