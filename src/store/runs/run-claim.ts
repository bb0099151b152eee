/** A claim on a run: each write checks in the same transaction that the run still belongs to this owner. */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import { RunContents } from './run-contents.ts';
import type { RunClaim, RunEnd, RunRecord, RunStep } from './run-record.ts';
import { hasEnded, pendingApprovalsOf, type RunChange, type RunRow, RunRows } from './run-rows.ts';

export interface ClaimedRun {
  readonly row: RunRow;
  readonly record: RunRecord;
  readonly leaseMs: number;
  /** How far the store's clock is ahead of this process. */
  readonly aheadMs: number;
}

export class StoredClaim implements RunClaim {
  readonly run: RunRecord;
  private readonly rows: RunRows;
  private readonly contents: RunContents;
  /** The row as this claim last wrote it. */
  private row: RunRow;
  /** The current operation. */
  private attempt: Attempt = {};
  /** An operation that failed but may have been committed, and one that is known to have been committed. */
  private uncertain: Required<Attempt> | undefined;
  private confirmed: Attempt['what'];
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: NamespaceContext,
    private readonly claimed: ClaimedRun,
  ) {
    this.run = claimed.record;
    this.row = claimed.row;
    this.rows = new RunRows(context);
    this.contents = new RunContents(context);
  }

  steps(): Promise<readonly RunStep[]> {
    return this.inOrder(async (transaction) => this.contents.steps(transaction, await this.readOwned(transaction)));
  }

  state(): Promise<JsonValue | undefined> {
    return this.inOrder(async (transaction) => this.contents.state(transaction, await this.readOwned(transaction)));
  }

  record(step: Omit<RunStep, 'seq'>, state?: JsonValue): Promise<void> {
    return this.perform(['record', step], async (transaction) => {
      const row = await this.change(transaction, ({ steps, stateVersion }) => ({
        steps: steps + 1,
        stateVersion: state === undefined ? stateVersion : stateVersion + 1,
        leaseUntil: this.now() + this.claimed.leaseMs,
      }));
      const run = row.id;
      const about = { run, name: 'state', version: row.stateVersion } as const;
      await Promise.all([
        this.contents.addStep(transaction, { run, seq: row.steps - 1 }, step),
        state !== undefined && this.contents.put(transaction, about, state),
      ]);
    });
  }

  renew(): Promise<void> {
    return this.perform(['renew'], async (transaction) => {
      await this.change(transaction, () => ({ leaseUntil: this.now() + this.claimed.leaseMs }));
    });
  }

  async wait(approvals: readonly string[]): Promise<void> {
    if (approvals.length === 0) throw new BridleError('RUN_STATE', 'a run must wait for at least one approval');
    return this.perform(['wait', approvals], async (transaction) => {
      // A concurrent answer either holds this lock first or finds the run waiting, so it is not missed.
      await this.rows.lock(transaction, this.row.id);
      const about = { namespace: this.context.namespace, now: this.now() };
      const open = await pendingApprovalsOf(transaction, about, approvals);
      if (open.length < approvals.length) return this.leave(transaction, { state: 'queued' });
      await this.leave(transaction, { state: 'waiting', waitingFor: [...approvals] });
    });
  }

  release(): Promise<void> {
    return this.perform(['release'], (transaction) => this.leave(transaction, { state: 'queued' }));
  }

  finish(end: RunEnd): Promise<void> {
    return this.perform(['finish', end], async (transaction) => {
      const error = end.state === 'done' ? null : end.error;
      await this.leave(transaction, { state: end.state, error, stateVersion: 0 });
      const run = this.row.id;
      await this.contents.deleteWork(transaction, run);
      if (end.state === 'done') await this.contents.put(transaction, { run, name: 'output', version: 0 }, end.output);
    });
  }

  private async leave(transaction: Transaction, change: RunChange): Promise<void> {
    const { state } = await this.change(transaction, () => ({ owner: null, leaseUntil: 0, ...change }));
    if (state !== 'waiting') await this.rows.notify(transaction);
  }

  private now(): number {
    return this.context.clock() + this.claimed.aheadMs;
  }

  /** Changes the row if it still belongs to this claim. Tries the last written version first, without reading. */
  private async change(transaction: Transaction, changes: (row: RunRow) => RunChange): Promise<RunRow> {
    let row = this.row.state === 'running' ? this.row : await this.readOwned(transaction);
    for (;;) {
      const changed = await this.rows.swap(transaction, row, { ...changes(row), now: this.now() });
      if (changed !== undefined) return (this.attempt.written = changed);
      row = await this.readOwned(transaction);
    }
  }

  private async readOwned(transaction: Transaction): Promise<RunRow> {
    const row = await this.rows.read(transaction, this.row.id);
    if (this.uncertain !== undefined && row?.sealed.mac === this.uncertain.written.sealed.mac) {
      this.confirmed = this.uncertain.what;
      this.uncertain = undefined;
    }
    if (this.confirmed !== undefined && JSON.stringify(this.confirmed) === JSON.stringify(this.attempt.what))
      throw alreadyDone;
    if (row?.state === 'running' && row.segment === this.row.segment) return row;
    throw new BridleError('RUN_FENCED', fencedText(this.row.id, row));
  }

  /** A failed write may have been committed. If the same operation is requested again, it is then already done. */
  private async perform(what: readonly unknown[], work: (transaction: Transaction) => Promise<void>): Promise<void> {
    const attempt: Attempt = { what };
    // Renewing twice is harmless.
    const isRenewal = what[0] === 'renew';
    try {
      await this.inOrder(async (transaction) => {
        this.attempt = attempt;
        if (this.uncertain !== undefined || this.confirmed !== undefined) await this.readOwned(transaction);
        await work(transaction);
      });
      this.uncertain = undefined;
      if (!isRenewal) this.confirmed = undefined;
    } catch (error) {
      const { written } = attempt;
      if (error !== alreadyDone && written !== undefined && !isRenewal) this.uncertain = { what, written };
      if (error !== alreadyDone) throw error;
      this.confirmed = undefined;
    }
  }

  /** Runs operations one after another: each starts from the row the previous one wrote. */
  private inOrder<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const next = this.queue.then(async () => {
      this.attempt = {};
      const result = await this.context.database.write(work);
      // Build only on committed rows; after a failure the row is read again.
      this.row = this.attempt.written ?? this.row;
      return result;
    });
    this.queue = next.catch(() => undefined);
    return next;
  }
}

/** An operation on a run, and the row it wrote. */
interface Attempt {
  readonly what?: readonly unknown[];
  written?: RunRow;
}

const alreadyDone = new BridleError('RUN_STATE', 'it is already done');

function fencedText(id: string, row: RunRow | undefined): string {
  const prefix = `this process has lost its claim on the run "${id}"`;
  if (row === undefined) return `${prefix}: it is no longer in the store`;
  if (hasEnded(row.state)) return `${prefix}: it is ${row.state}${row.error === null ? '' : ` (${row.error})`}`;
  if (row.state !== 'running') return `${prefix}: it was released, and is ${row.state}`;
  const { host, pid } = row.owner ?? { host: 'unknown', pid: 0 };
  return `${prefix}: process ${pid} on ${host} has taken it over`;
}
