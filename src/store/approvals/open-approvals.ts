/** Approvals in a store: each is answered once and used once, even when several processes try at the same time. */

import { randomUUID } from 'node:crypto';
import { BridleError, throwProblems } from '../../kernel/errors.ts';
import type { ApprovalId } from '../../kernel/ids.ts';
import type { SqlValue, Transaction } from '../database/database.ts';
import { WakeSignal } from '../database/wake-signal.ts';
import { writeOnce } from '../database/write-once.ts';
import { type NamespaceContext, storeTime } from '../namespace/namespace.ts';
import { wakeRun } from '../runs/run-rows.ts';
import { equalTo, type SealedRow, SealedTable } from '../namespace/sealed-table.ts';
import { answerProblem } from '../../approvals/signing/signed-answer.ts';
import {
  type ApprovalChange,
  type ApprovalDraft,
  type ApprovalRecord,
  type ApprovalState,
  changeApproval,
  mayFollow,
  nextStates,
  type SignedAnswer,
} from '../../approvals/signing/approval-record.ts';
import type { ApprovalFilter, Approvals } from './approvals.ts';

/** The longest sleep. Limits the delay after a lost wake-up or a changed clock. */
const maxSleepMs = 60_000;

/** Room for the largest args twice: a record contains them in full and in short. */
const maxCharacters = 16 * 1024 * 1024;

export function openApprovals(context: NamespaceContext): Approvals {
  return new StoredApprovals(context);
}

/** What a row contains besides its record. */
interface ApprovalMeta {
  /** Grows with every change. */
  readonly version: number;
  /** How many earlier records are about the same call of a run. */
  readonly nth: number;
  /** A random id of the last change, to distinguish identical changes. */
  readonly tag: string;
}

type ApprovalRow = SealedRow<ApprovalRecord & ApprovalMeta>;

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
  private readonly table: SealedTable<ApprovalRow['body']>;

  constructor(private readonly context: NamespaceContext) {
    this.table = new SealedTable(context, 'bridle_approvals', {
      copies: ({ state, session, run = null, agent, call, nth, createdAt, expiresAt }) => ({
        state,
        session,
        run,
        agent: JSON.stringify(agent),
        call,
        nth,
        created_at: createdAt,
        expires_at: expiresAt,
      }),
      isValid: ({ state }) => Object.hasOwn(nextStates, state),
      maxCharacters,
    });
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
      const nth = await this.countEarlier(transaction, record);
      const row = this.table.seal([id], { ...record, version: 1, nth, tag });
      if (!(await this.table.insert(transaction, row)))
        throw new BridleError('STORE_CONFLICT', `The approval ${id} already exists.`);
      await this.notify(transaction, id);
      return record;
    };
    return writeOnce(
      () => database.write(write),
      async () => ((await this.table.read(database, [id]))?.body.tag === tag ? record : undefined),
    );
  }

  async get(id: ApprovalId): Promise<ApprovalRecord | undefined> {
    const row = await this.table.read(this.context.database, [id]);
    return row && recordOf(row);
  }

  async find(start: string): Promise<ApprovalRecord | undefined> {
    if (!/^[0-9a-f-]{1,64}$/.test(start)) return undefined;
    const found = await this.select('substr(id, 1, ?) = ? ORDER BY id LIMIT 2', [start.length, start]);
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(' and ');
      throw new BridleError(
        'OPTION_INVALID',
        `More than one approval id starts with "${start}": ${ids}. Type more of it.`,
      );
    }
    return found[0];
  }

  async list({ state, session, run, limit = 100 }: ApprovalFilter = {}): Promise<readonly ApprovalRecord[]> {
    const [condition, values] = equalTo({ state, session, run });
    const order = 'ORDER BY created_at DESC, nth DESC, id DESC LIMIT ?';
    return this.select(`${condition} ${order}`, [...values, limit]);
  }

  async ofCall(about: Parameters<Approvals['ofCall']>[0]): Promise<ApprovalRecord | undefined> {
    const { run, agent, call, callDigest } = about;
    const condition = 'run = ? AND agent = ? AND call = ? ORDER BY nth DESC, id DESC';
    const records = await this.select(condition, [run, JSON.stringify(agent), call]);
    return records.find((record) => record.callDigest === callDigest) ?? records[0];
  }

  async firstPending({
    run,
    agent,
    call,
  }: Parameters<Approvals['firstPending']>[0]): Promise<ApprovalRecord | undefined> {
    const condition = "state = 'pending' AND run = ? AND agent = ? AND call = ? ORDER BY nth, id LIMIT 1";
    return (await this.select(condition, [run, JSON.stringify(agent), call]))[0];
  }

  async answer(signed: SignedAnswer): Promise<{ readonly won: boolean; readonly record: ApprovalRecord }> {
    const { approval: id, by } = signed;
    const record = await this.mustGet(id);
    // The asking process checks again, with the keys it trusts. This check only rejects useless answers early.
    const problem = answerProblem(signed, record, { trusted: this.context.keys.approverKeys(), own: record.asker });
    if (problem !== undefined) {
      throw new BridleError('APPROVAL_REFUSED', `The answer to approval ${id} does not count: ${problem}.`);
    }
    // A state never comes back, so a late answer fails without waiting for the write lock.
    if (record.state !== 'pending') return { won: false, record };
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
        else await wakeSignal.within(Math.min(record.expiresAt - now, maxSleepMs), woken);
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
    const tagged = { ...wanted, tag: randomUUID() };
    return writeOnce(() => this.context.database.write((transaction) => this.swap(transaction, id, tagged)));
  }

  private async swap(transaction: Transaction, id: ApprovalId, wanted: TaggedChange): Promise<ChangeResult> {
    for (;;) {
      const row = await this.table.read(transaction, [id]);
      if (row === undefined) throw new BridleError('APPROVAL_REFUSED', `There is no approval ${id} in this store.`);
      const { version, nth, state } = row.body;
      if (state !== wanted.from) return { done: isMadeBy(row, wanted), record: recordOf(row) };
      const at = wanted.at ?? (await storeTime(this.context, transaction));
      const record = changeApproval(recordOf(row), { ...wanted, at });
      const changed = this.table.seal(row.key, { ...record, version: version + 1, nth, tag: wanted.tag });
      if (!(await this.table.swap(transaction, row, { row: changed }))) continue;
      // Wakes the run that waits for this record.
      if (state === 'pending' && record.run !== undefined) await wakeRun(this.context, transaction, record.run);
      await this.notify(transaction, id);
      return { done: record.state === wanted.to, record };
    }
  }

  /** Records that match a condition, which may end with an order and a limit. */
  private async select(condition: string, values: readonly SqlValue[]): Promise<readonly ApprovalRecord[]> {
    return (await this.table.select(this.context.database, condition, values)).map(recordOf);
  }

  /** Numbers the questions about one call, so that their order does not depend on clocks. */
  private async countEarlier(transaction: Transaction, { run, agent, call }: ApprovalRecord): Promise<number> {
    if (run === undefined) return 0;
    const { namespace } = this.context;
    await transaction.lock(`approvals:${namespace}:${run}`);
    const [row] = await transaction.all(
      'SELECT COUNT(*) AS n FROM bridle_approvals WHERE namespace = ? AND run = ? AND agent = ? AND call = ?',
      [namespace, run, JSON.stringify(agent), call],
    );
    return Number(row?.['n'] ?? 0);
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

function recordOf({ body }: ApprovalRow): ApprovalRecord {
  const { version: _version, nth: _nth, tag: _tag, ...record } = body;
  return record;
}

/** Whether this change was committed although the reply was lost. The approval may already have been used since. */
function isMadeBy({ body: { tag, state, answer } }: ApprovalRow, wanted: TaggedChange): boolean {
  if (tag === wanted.tag) return state === wanted.to;
  return wanted.answer !== undefined && answer?.signature === wanted.answer.signature;
}
