/** Approvals in a store: each is answered once and used once, even when several processes try at the same time. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BridleError, throwProblems } from '../../kernel/errors.ts';
import type { ApprovalId } from '../../kernel/ids.ts';
import type { Transaction } from '../database/database.ts';
import { WakeSignal } from '../database/wake-signal.ts';
import { writeOnce } from '../database/write-once.ts';
import { type NamespaceContext, storeTime } from '../namespace/namespace.ts';
import { wakeRun } from '../runs/run-rows.ts';
import { equalTo } from '../namespace/sealed-table.ts';
import { answerProblem } from '../../approvals/signing/signed-answer.ts';
import {
  type ApprovalChange,
  type ApprovalDraft,
  type ApprovalRecord,
  type ApprovalState,
  changeApproval,
  mayFollow,
  type SignedAnswer,
} from '../../approvals/signing/approval-record.ts';
import { type ApprovalRow, ApprovalRows } from './approval-rows.ts';
import type { ApprovalFilter, Approvals } from './approvals.ts';

/** The longest sleep. Limits the delay after a lost wake-up or a changed clock. */
const maxSleepMs = 60_000;

export function openApprovals(context: NamespaceContext): Approvals {
  return new StoredApprovals(context);
}

/** The result of an attempt to change a record. */
interface ChangeResult {
  readonly done: boolean;
  readonly record: ApprovalRecord;
}

/** A change to make if the record is in the state `from`. */
interface WantedChange extends Omit<ApprovalChange, 'at'> {
  readonly from: ApprovalState;
  /** The current time. Default: the store's time. */
  readonly at?: number | undefined;
}

interface TaggedChange extends WantedChange {
  readonly tag: string;
}

class StoredApprovals implements Approvals {
  private readonly rows: ApprovalRows;

  constructor(private readonly context: NamespaceContext) {
    this.rows = new ApprovalRows(context);
  }

  async put(draft: ApprovalDraft): Promise<ApprovalRecord> {
    const { id, createdAt: at } = draft;
    if (!/^[0-9a-f-]{8,64}$/.test(id))
      throw new BridleError('OPTION_INVALID', `${JSON.stringify(id)} is not an approval id`);
    const changes = [{ state: 'pending', at, by: 'bridle' }] as const;
    const record: ApprovalRecord = { ...draft, state: 'pending', answer: undefined, changes };
    const { database } = this.context;
    const tag = randomUUID();
    const write = async (transaction: Transaction): Promise<ApprovalRecord> => {
      await this.rows.insert(transaction, record, tag);
      await this.notify(transaction, id);
      return record;
    };
    return writeOnce(
      () => database.write(write),
      async () => ((await this.rows.read(database, id))?.tag === tag ? record : undefined),
    );
  }

  async get(id: ApprovalId): Promise<ApprovalRecord | undefined> {
    return (await this.rows.read(this.context.database, id))?.record;
  }

  async find(start: string): Promise<ApprovalRecord | undefined> {
    if (!/^[0-9a-f-]{1,64}$/.test(start)) return undefined;
    const found = await this.rows.select(this.context.database, 'substr(id, 1, ?) = ? ORDER BY id LIMIT 2', [
      start.length,
      start,
    ]);
    if (found.length > 1) {
      const ids = found.map(({ record }) => record.id).join(' and ');
      throw new BridleError(
        'OPTION_INVALID',
        `More than one approval id starts with "${start}": ${ids}. Type more of it.`,
      );
    }
    return found[0]?.record;
  }

  async list({ state, session, run, limit = 100 }: ApprovalFilter = {}): Promise<readonly ApprovalRecord[]> {
    const [condition, values] = equalTo({ state, session, run });
    const order = 'ORDER BY created_at DESC, nth DESC, id DESC LIMIT ?';
    const rows = await this.rows.select(this.context.database, `${condition} ${order}`, [...values, limit]);
    return rows.map(({ record }) => record);
  }

  async ofCall(about: Parameters<Approvals['ofCall']>[0]): Promise<ApprovalRecord | undefined> {
    const { run, agent, call, callDigest } = about;
    const condition = 'run = ? AND agent = ? AND call = ? ORDER BY nth DESC, id DESC';
    const rows = await this.rows.select(this.context.database, condition, [run, JSON.stringify(agent), call]);
    const same = rows.find(({ record }) => record.callDigest === callDigest);
    return (same ?? rows[0])?.record;
  }

  async answer(signed: SignedAnswer): Promise<{ readonly won: boolean; readonly record: ApprovalRecord }> {
    const { approval: id, by } = signed;
    const record = await this.get(id);
    if (record === undefined) throw new BridleError('APPROVAL_REFUSED', `There is no approval ${id} in this store.`);
    // The asking process checks again, with the keys it trusts. This check only rejects useless answers early.
    const problem = answerProblem(signed, record, { trusted: this.context.keys.approverKeys(), own: record.asker });
    if (problem !== undefined) {
      throw new BridleError('APPROVAL_REFUSED', `The answer to approval ${id} does not count: ${problem}.`);
    }
    const to = signed.answer.type === 'approve' ? 'approved' : 'denied';
    const { done, record: after } = await this.change(id, { from: 'pending', to, by, answer: signed });
    return { won: done, record: after };
  }

  async move(id: ApprovalId, wanted: Parameters<Approvals['move']>[1]): Promise<boolean> {
    const { from, to } = wanted;
    if (!mayFollow(from, to)) {
      throw new BridleError('APPROVAL_REFUSED', `Approval ${id} cannot change from ${from} to ${to}.`);
    }
    return (await this.change(id, wanted)).done;
  }

  async expire(at?: number): Promise<number> {
    const { database, namespace } = this.context;
    const now = at ?? (await storeTime(this.context, database));
    const due = await database.all(
      `SELECT id FROM bridle_approvals WHERE namespace = ? AND state = 'pending' AND expires_at <= ? ORDER BY id`,
      [namespace, now],
    );
    let expired = 0;
    const damaged: string[] = [];
    for (const { id } of due) {
      try {
        if (await this.expireOne(String(id) as ApprovalId, now)) expired++;
      } catch (error) {
        if (!(error instanceof BridleError && error.code === 'STORE_DAMAGED')) throw error;
        // A damaged record must not keep the others from expiring.
        damaged.push(error.message);
      }
    }
    throwProblems('STORE_DAMAGED', damaged);
    return expired;
  }

  async settled(id: ApprovalId, { signal }: { readonly signal: AbortSignal }): Promise<ApprovalRecord> {
    const { database } = this.context;
    const wakeSignal = new WakeSignal();
    const wake = (): void => wakeSignal.wake();
    // Listen before the first read, or an answer in between would be missed.
    const stop = await database.listen(this.topicOf(id), wake);
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        const woken = wakeSignal.next();
        const record = await this.mustGet(id);
        if (record.state !== 'pending' || signal.aborted) return record;
        const now = await storeTime(this.context, database);
        if (now >= record.expiresAt) await this.expireOne(id, now);
        else await waitOrTimeout(woken, Math.min(record.expiresAt - now, maxSleepMs));
      }
    } finally {
      stop();
      signal.removeEventListener('abort', wake);
    }
  }

  watch(changed: () => void): Promise<() => void> {
    return this.context.database.listen(this.topicOf(), changed);
  }

  private async mustGet(id: ApprovalId): Promise<ApprovalRecord> {
    const record = await this.get(id);
    if (record === undefined) throw new BridleError('APPROVAL_REFUSED', `There is no approval ${id} in this store.`);
    return record;
  }

  private async expireOne(id: ApprovalId, at: number): Promise<boolean> {
    const record = await this.mustGet(id);
    if (record.state !== 'pending' || record.expiresAt > at) return false;
    return (await this.change(id, { from: 'pending', to: 'expired', by: 'bridle', at })).done;
  }

  /** Changes a record unless another process was first. If it has expired in the meantime, that is recorded instead. */
  private async change(id: ApprovalId, wanted: WantedChange): Promise<ChangeResult> {
    const before = await this.mustGet(id);
    // A state never comes back, so a late change fails without waiting for the write lock.
    if (before.state !== wanted.from) return { done: false, record: before };
    const tagged = { ...wanted, tag: randomUUID() };
    return writeOnce(() => this.context.database.write((transaction) => this.swap(transaction, id, tagged)));
  }

  private async swap(transaction: Transaction, id: ApprovalId, wanted: TaggedChange): Promise<ChangeResult> {
    for (;;) {
      const row = await this.rows.read(transaction, id);
      if (row === undefined) throw new BridleError('APPROVAL_REFUSED', `There is no approval ${id} in this store.`);
      if (row.record.state !== wanted.from) return { done: isMadeBy(row, wanted), record: row.record };
      const at = wanted.at ?? (await storeTime(this.context, transaction));
      const record = changeApproval(row.record, { ...wanted, at });
      if (!(await this.rows.swap(transaction, row, { record, tag: wanted.tag }))) continue;
      await this.wakeWaiting(transaction, row, record);
      return { done: record.state === wanted.to, record };
    }
  }

  /** Wakes the run and the processes that wait for this record. */
  private async wakeWaiting(
    transaction: Transaction,
    { record: before }: ApprovalRow,
    after: ApprovalRecord,
  ): Promise<void> {
    if (before.state === 'pending' && after.run !== undefined) await wakeRun(this.context, transaction, after.run);
    await this.notify(transaction, after.id);
  }

  private async notify(transaction: Transaction, id: ApprovalId): Promise<void> {
    await transaction.notify(this.topicOf(id));
    await transaction.notify(this.topicOf());
  }

  private topicOf(id?: ApprovalId): string {
    const { namespace } = this.context;
    return id === undefined ? `approvals:${namespace}` : `approval:${namespace}:${id}`;
  }
}

/** Whether this change was committed although the reply was lost. The approval may already have been used since. */
function isMadeBy({ record, tag }: ApprovalRow, wanted: TaggedChange): boolean {
  if (tag === wanted.tag) return record.state === wanted.to;
  return wanted.answer !== undefined && record.answer?.signature === wanted.answer.signature;
}

async function waitOrTimeout(woken: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController();
  const timeout = delay(Math.max(1, Math.ceil(ms)), undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([woken, timeout]);
  timer.abort();
}
