/**
 * Remembered answers in a store. Only signed answers are stored for other processes. Unsigned answers, and answers for
 * one turn, are remembered in this process only.
 */

import { createHmac } from 'node:crypto';
import type { ReusableAnswer } from '../../kernel/approval.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { ApprovalId } from '../../kernel/ids.ts';
import { type AnswerMemory, type AnswerQuery, SessionAnswers } from '../../approvals/remember-answers.ts';
import { answerProblem } from '../../approvals/signing/signed-answer.ts';
import type { SignedAnswer } from '../../approvals/signing/approval-record.ts';
import type { Approvals } from './approvals.ts';
import { openApprovals } from './open-approvals.ts';
import type { Transaction } from '../database/database.ts';
import { type NamespaceContext, storeTime } from '../namespace/namespace.ts';
import { SealedTable } from '../namespace/sealed-table.ts';
import { usableAnswer, type FoundAnswer, type RememberedAnswer } from './remembered-answer.ts';

export function openRememberedAnswers(context: NamespaceContext): AnswerMemory {
  return new StoredAnswers(context);
}

const table = 'bridle_answers';
/** Per namespace. The oldest are dropped; the worst effect is that a person is asked again. */
const maxAnswers = 10_000;
/** Rules examined for one call. */
const maxRules = 200;
/** Stored for an answer without an end: the column takes integers only. */
const noEnd = 8.64e15;

class StoredAnswers implements AnswerMemory {
  private readonly unsigned: SessionAnswers;
  private readonly approvals: Approvals;
  private readonly table: SealedTable<RememberedAnswer>;

  constructor(private readonly context: NamespaceContext) {
    const { clock } = context;
    this.unsigned = new SessionAnswers(clock === Date.now ? systemClock : { ...systemClock, now: clock });
    this.approvals = openApprovals(context);
    this.table = new SealedTable(context, table);
  }

  async find(query: AnswerQuery): Promise<FoundAnswer | undefined> {
    const { database, keys } = this.context;
    const now = await storeTime(this.context, database);
    const exact = this.idOf(query, undefined);
    const condition = '(id = ? OR for_group = ?) ORDER BY (id = ?) DESC, kept_at DESC LIMIT ?';
    const values = [exact, this.hashOf(query.group), exact, maxRules];
    const rows = await this.table.select(database, condition, values);
    const found = rows.map(({ body }) => usableAnswer(body, { query, keys, now }));
    const candidates = [...found, this.unsigned.find(query)].filter((each) => each !== undefined);
    // A denial takes precedence over an approval of a wider rule.
    return (
      candidates.find(({ approved }) => !approved) ?? candidates.toSorted((one, other) => other.leftMs - one.leftMs)[0]
    );
  }

  async keep(query: AnswerQuery, answer: ReusableAnswer, forMs: number): Promise<void> {
    if (!(forMs > 0)) return;
    // A turn ends with its process: elsewhere the same number is another turn.
    const signed = answer.turn === undefined ? await this.signatureOf(answer) : undefined;
    if (signed === undefined) this.unsigned.keep(query, answer, forMs);
    else await this.context.database.write((transaction) => this.write(transaction, { query, answer, forMs, signed }));
  }

  /** The signed answer that this one came from, if a person signed it. */
  private async signatureOf({ approvalId }: ReusableAnswer): Promise<SignedAnswer | undefined> {
    const { keys } = this.context;
    const record = await this.approvals.get(approvalId as ApprovalId);
    const signed = record?.answer;
    if (record === undefined || signed?.answer.remember === undefined) return undefined;
    const verifier = { trusted: keys.approverKeys(), own: record.asker };
    return answerProblem(signed, record, verifier) === undefined ? signed : undefined;
  }

  private async write(transaction: Transaction, entry: AnswerToStore): Promise<void> {
    const { query, answer, forMs, signed } = entry;
    const now = await storeTime(this.context, transaction);
    await this.makeRoom(transaction, now);
    const id = this.idOf(query, answer);
    const until = Number.isFinite(forMs) ? Math.ceil(now + forMs) : null;
    const row = this.table.seal([id], { kept: answer, signed, keptAt: now, until });
    // A denial is indexed twice: if one index is damaged, an approval of a wider rule must not take its place.
    const group = answer.rule === undefined && answer.approved ? null : this.hashOf(query.group);
    const end = Math.min(until ?? noEnd, noEnd);
    await this.table.put(transaction, row, { for_group: group, kept_at: now, until_at: end });
  }

  /** Deletes expired answers, and the oldest if that is not enough. */
  private async makeRoom(transaction: Transaction, now: number): Promise<void> {
    const { namespace } = this.context;
    await transaction.run(`DELETE FROM ${table} WHERE namespace = ? AND until_at <= ?`, [namespace, now]);
    const [row] = await transaction.all(`SELECT COUNT(*) AS n FROM ${table} WHERE namespace = ?`, [namespace]);
    const surplus = Number(row?.['n'] ?? 0) + 1 - maxAnswers;
    if (surplus <= 0) return;
    await transaction.run(
      `DELETE FROM ${table} WHERE namespace = ? AND id IN
         (SELECT id FROM ${table} WHERE namespace = ? ORDER BY kept_at, id LIMIT ?)`,
      [namespace, namespace, surplus],
    );
  }

  /** One row per call for exact answers, one row per rule for rules. */
  private idOf({ binding, group }: AnswerQuery, answer: ReusableAnswer | undefined): string {
    return answer?.rule === undefined
      ? this.hashOf(`call\n${binding}`)
      : this.hashOf(`rule\n${group}\n${JSON.stringify(answer.rule)}`);
  }

  /** Keyed, because bindings contain unmasked args: without the key they cannot be guessed. */
  private hashOf(text: string): string {
    return createHmac('sha256', this.context.keys.secret('digests')).update(text).digest('hex');
  }
}

interface AnswerToStore {
  readonly query: AnswerQuery;
  readonly answer: ReusableAnswer;
  readonly forMs: number;
  readonly signed: SignedAnswer;
}
