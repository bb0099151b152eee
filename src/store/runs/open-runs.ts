/** Runs in a store: claimed by one owner at a time, taken over when the owner dies, ended once. */

import { BridleError } from '../../kernel/errors.ts';
import { isRunning, processIdentity } from '../../approvals/signing/process-tree.ts';
import type { Queries, Transaction } from '../database/database.ts';
import { type NamespaceContext, storeTime } from '../namespace/namespace.ts';
import { equalTo } from '../namespace/sealed-table.ts';
import { storedIdProblem } from '../namespace/stored-id.ts';
import { StoredClaim } from './run-claim.ts';
import { runValueKey, RunContents } from './run-contents.ts';
import type { QueuedRun, RunClaim, RunFilter, RunRecord, Runs } from './run-record.ts';
import { damagedRun, hasEnded, pendingApprovalsOf, type RunRow, RunRows, runsTopic } from './run-rows.ts';

export function openRuns(context: NamespaceContext): Runs {
  return new StoredRuns(context);
}

class StoredRuns implements Runs {
  private readonly rows: RunRows;
  private readonly contents: RunContents;

  constructor(private readonly context: NamespaceContext) {
    this.rows = new RunRows(context);
    this.contents = new RunContents(context);
  }

  async create(run: Parameters<Runs['create']>[0]): Promise<{ readonly record: RunRecord; readonly created: boolean }> {
    const { id, agent, input } = run;
    const problem = storedIdProblem(id);
    if (problem !== undefined) throw new BridleError('OPTION_INVALID', `the id of a run ${problem}`);
    const created = await this.context.database.write(async (transaction) => {
      const now = await storeTime(this.context, transaction);
      if (!(await this.rows.insert(transaction, id, newRun(agent, now)))) return false;
      await this.contents.putInput(transaction, id, input);
      await this.rows.notify(transaction);
      return true;
    });
    const record = await this.get(id);
    if (record === undefined) throw damagedRun(id, 'it is no longer in the store');
    return { record, created };
  }

  async get(id: string): Promise<RunRecord | undefined> {
    const row = await this.rows.read(this.context.database, id);
    return row === undefined ? undefined : (await this.records([row]))[0];
  }

  async list({ state, agent, limit = 100 }: RunFilter = {}): Promise<readonly RunRecord[]> {
    const [condition, values] = equalTo({ state, agent });
    const order = 'ORDER BY created_at DESC, id DESC LIMIT ?';
    return this.records(await this.rows.select(this.context.database, `${condition} ${order}`, [...values, limit]));
  }

  async queued(options: Parameters<Runs['queued']>[0]): Promise<readonly QueuedRun[]> {
    const { agents, limit } = options;
    if (agents.length === 0) return [];
    const rows = await this.context.database.all(
      `SELECT id, agent, segment FROM bridle_runs
       WHERE namespace = ? AND state = 'queued' AND agent IN (${agents.map(() => '?').join(', ')})
       ORDER BY updated_at, id LIMIT ?`,
      [this.context.namespace, ...agents, limit],
    );
    return rows.map(({ id, agent, segment }) => ({
      id: String(id),
      agent: String(agent),
      segment: Number(segment),
    }));
  }

  async claim(id: string, { leaseMs }: { readonly leaseMs: number }): Promise<RunClaim | string> {
    if (!Number.isFinite(leaseMs) || leaseMs <= 0) {
      throw new BridleError('OPTION_INVALID', 'leaseMs must be a number of milliseconds above 0');
    }
    const owner = processIdentity();
    const claimed = await this.changeRow(id, async (transaction, row) => {
      const now = await storeTime(this.context, transaction);
      const refusal = await claimRefusal(transaction, row, { namespace: this.context.namespace, now });
      if (refusal !== undefined) return refusal;
      const segment = row.segment + 1;
      const change = { now, state: 'running', segment, owner, leaseUntil: now + leaseMs, waitingFor: [] } as const;
      const claimedRow = await this.rows.swap(transaction, row, change);
      return claimedRow && { row: claimedRow, aheadMs: now - this.context.clock() };
    });
    if (claimed === undefined) return `there is no run "${id}"`;
    if (typeof claimed === 'string') return claimed;
    const [record] = await this.records([claimed.row]);
    return new StoredClaim(this.context, { ...claimed, record: record as RunRecord, leaseMs });
  }

  async reap(at?: number): Promise<readonly string[]> {
    const now = at ?? (await storeTime(this.context, this.context.database));
    const due = await this.context.database.all(
      `SELECT id FROM bridle_runs WHERE namespace = ? AND state = 'running' AND lease_until <= ? ORDER BY id`,
      [this.context.namespace, now],
    );
    const reaped: string[] = [];
    for (const { id } of due) if (await this.reapOne(String(id), now)) reaped.push(String(id));
    return reaped;
  }

  async cancel(id: string, by: string): Promise<boolean> {
    const cancelled = await this.changeRow(id, async (transaction, row) => {
      if (hasEnded(row.state)) return false;
      const now = await storeTime(this.context, transaction);
      const end = { state: 'cancelled', error: `cancelled by ${by}`, owner: null, leaseUntil: 0 } as const;
      const ended = await this.rows.swap(transaction, row, { ...end, now, waitingFor: [], stateVersion: 0 });
      if (ended === undefined) return undefined;
      await this.contents.deleteWork(transaction, id);
      await this.rows.notify(transaction);
      return true;
    });
    return cancelled ?? false;
  }

  watch(changed: () => void): Promise<() => void> {
    return this.context.database.listen(runsTopic(this.context), changed);
  }

  /** A damaged run stays as it is and does not block the others. */
  private async reapOne(id: string, now: number): Promise<boolean> {
    try {
      return (await this.changeRow(id, (transaction, row) => this.queueExpired(transaction, row, now))) === true;
    } catch (error) {
      if (error instanceof BridleError && error.code === 'STORE_DAMAGED') return false;
      throw error;
    }
  }

  private async queueExpired(transaction: Transaction, row: RunRow, now: number): Promise<boolean | undefined> {
    if (row.state !== 'running' || row.leaseUntil > now) return false;
    const queued = await this.rows.swap(transaction, row, { now, state: 'queued', owner: null, leaseUntil: 0 });
    if (queued !== undefined) await this.rows.notify(transaction);
    return queued && true;
  }

  /** Repeats `work` until no other process has changed the row in between; undefined if the run does not exist. */
  private changeRow<T>(
    id: string,
    work: (transaction: Transaction, row: RunRow) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    return this.context.database.write(async (transaction) => {
      await this.rows.lock(transaction, id);
      for (;;) {
        const row = await this.rows.read(transaction, id);
        if (row === undefined) return undefined;
        const done = await work(transaction, row);
        if (done !== undefined) return done;
      }
    });
  }

  private async records(rows: readonly RunRow[]): Promise<readonly RunRecord[]> {
    const ids = rows.map(({ id }) => id);
    const values = await this.contents.read(this.context.database, ids);
    return rows.map((row) => {
      const { id, agent, state, segment, leaseUntil, waitingFor, steps, createdAt, updatedAt } = row;
      const [input, output] = [values.get(runValueKey(id, 'input')), values.get(runValueKey(id, 'output'))];
      if (input === undefined) throw damagedRun(id, 'its input is missing');
      if (state === 'done' && output === undefined) throw damagedRun(id, 'its output is missing');
      const [owner, error] = [row.owner ?? undefined, row.error ?? undefined];
      const facts = { id, agent, state, segment, owner, leaseUntil, input, output, error };
      return { ...facts, waitingFor, steps, createdAt, updatedAt };
    });
  }
}

function newRun(agent: string, now: number): Parameters<RunRows['insert']>[2] {
  return {
    version: 1,
    agent,
    state: 'queued',
    segment: 0,
    owner: null,
    leaseUntil: 0,
    error: null,
    waitingFor: [],
    steps: 0,
    stateVersion: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/** Why a run cannot be claimed, as a sentence for people; undefined if it can be claimed. */
async function claimRefusal(
  queries: Queries,
  row: RunRow,
  about: { readonly namespace: string; readonly now: number },
): Promise<string | undefined> {
  switch (row.state) {
    case 'queued':
      return undefined;
    case 'running':
      return ownerRefusal(row, about.now);
    case 'waiting':
      return waitRefusal(queries, row, about);
    case 'done':
    case 'failed':
    case 'cancelled':
      return `the run "${row.id}" is ${row.state}${row.error === null ? '' : `: ${row.error}`}`;
    default:
      return row.state satisfies never;
  }
}

/**
 * A lease protects an owner on another machine. If the owner ran on this machine and has died, the lease does not
 * count.
 */
function ownerRefusal({ id, owner, leaseUntil }: RunRow, now: number): string | undefined {
  if (owner === null || leaseUntil <= now || isRunning(owner) === false) return undefined;
  const who = `process ${owner.pid} on ${owner.host}`;
  return `the run "${id}" is claimed by ${who} until ${new Date(leaseUntil).toISOString()}`;
}

async function waitRefusal(
  queries: Queries,
  { id, waitingFor }: RunRow,
  about: { readonly namespace: string; readonly now: number },
): Promise<string | undefined> {
  const pending = await pendingApprovalsOf(queries, about, waitingFor);
  if (pending.length < waitingFor.length) return undefined;
  const which = waitingFor.length === 1 ? 'the approval' : 'one of the approvals';
  return `the run "${id}" is waiting for an answer to ${which} ${waitingFor.join(', ')}`;
}
