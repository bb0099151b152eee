/** The rows with the state of runs, and what wakes a run that waits for an approval. */

import { BridleError } from '../../kernel/errors.ts';
import type { ProcessIdentity } from '../../approvals/signing/approval-record.ts';
import type { Queries, SqlValue, Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import { type SealedRow, SealedTable } from '../namespace/sealed-table.ts';
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
  readonly sealed: SealedRow<RunBody>;
}

export type RunChange = Partial<Omit<RunBody, 'version' | 'agent' | 'createdAt' | 'updatedAt'>>;

const states: ReadonlySet<string> = new Set<RunState>(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']);

export class RunRows {
  private readonly table: SealedTable<RunBody>;

  constructor(private readonly context: NamespaceContext) {
    this.table = new SealedTable(context, 'bridle_runs', {
      copies: ({ agent, state, segment, leaseUntil, createdAt }) => ({
        agent,
        state,
        segment,
        lease_until: leaseUntil,
        created_at: createdAt,
      }),
      isValid: ({ state }) => states.has(state),
      isState: true,
    });
  }

  /** Taken to suspend a run and to wake it, so that neither misses the other. */
  lock(transaction: Transaction, id: string): Promise<void> | void {
    return transaction.lock(`run:${this.context.namespace}:${id}`);
  }

  /** Notifies all listeners that a run was queued or has ended. */
  notify(transaction: Transaction): Promise<void> | void {
    return transaction.notify(runsTopic(this.context));
  }

  async read(queries: Queries, id: string): Promise<RunRow | undefined> {
    const row = await this.table.read(queries, [id]);
    return row && toRun(row);
  }

  /** Rows that match a condition, which may end with an order and a limit. */
  async select(queries: Queries, condition: string, values: readonly SqlValue[]): Promise<readonly RunRow[]> {
    return (await this.table.select(queries, condition, values)).map(toRun);
  }

  /** False if the id already exists. */
  insert(transaction: Transaction, id: string, body: RunBody): Promise<boolean> {
    return this.table.insert(transaction, this.table.seal([id], body), { updated_at: body.updatedAt });
  }

  /** The row after the change; undefined if it has changed since it was read. */
  async swap(
    transaction: Transaction,
    before: RunRow,
    change: RunChange & { now: number },
  ): Promise<RunRow | undefined> {
    const { now, ...changes } = change;
    const { sealed } = before;
    const updatedAt = Math.max(now, before.updatedAt);
    const row = this.table.seal(sealed.key, { ...sealed.body, ...changes, version: before.version + 1, updatedAt });
    const isSwapped = await this.table.swap(transaction, sealed, { row, columns: { updated_at: updatedAt } });
    return isSwapped ? toRun(row) : undefined;
  }
}

function toRun(sealed: SealedRow<RunBody>): RunRow {
  return { ...sealed.body, id: String(sealed.key[0]), sealed };
}

export function runsTopic({ namespace }: Pick<NamespaceContext, 'namespace'>): string {
  return `runs:${namespace}`;
}

export function hasEnded(state: RunState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/**
 * Wakes a run: an approval it waits for was settled, so any process may claim it. Call it in the transaction that settles
 * the approval. Does nothing if the run is not waiting.
 */
export async function wakeRun(context: NamespaceContext, transaction: Transaction, run: string): Promise<void> {
  const rows = new RunRows(context);
  await rows.lock(transaction, run);
  for (;;) {
    const row = await rows.read(transaction, run);
    if (row?.state !== 'waiting') return;
    const woken = await rows.swap(transaction, row, { now: context.clock(), state: 'queued', waitingFor: [] });
    if (woken === undefined) continue;
    await rows.notify(transaction);
    return;
  }
}

/**
 * The ids of approvals that still wait for an answer. An approval that is missing or expired does not. If one is
 * settled, a run that waits for it can continue.
 */
export async function pendingApprovalsOf(
  queries: Queries,
  { namespace, now }: { readonly namespace: string; readonly now: number },
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await queries.all(
    `SELECT id FROM bridle_approvals
     WHERE namespace = ? AND state = 'pending' AND expires_at > ? AND id IN (${ids.map(() => '?').join(', ')})`,
    [namespace, now, ...ids],
  );
  const pending = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => pending.has(id));
}

export function damagedRun(id: string, what: string): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The run "${id}" is damaged: ${what}. Bridle does not use it: restore the store from a backup, or cancel the run.`,
  );
}
