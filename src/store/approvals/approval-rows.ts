/** The rows of approvals. */

import { type ApprovalRecord, isApprovalState } from '../../approvals/signing/approval-record.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Queries, SqlValue, Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import { type SealedRow, SealedTable } from '../namespace/sealed-table.ts';

interface ApprovalMeta {
  /** Grows with every change. */
  readonly version: number;
  /** How many earlier records are about the same call of a run. */
  readonly nth: number;
  /** A random id of the last change, to distinguish identical changes. */
  readonly tag: string;
}

type ApprovalBody = ApprovalRecord & ApprovalMeta;

/** A record as it was read. */
export interface ApprovalRow extends ApprovalMeta {
  readonly record: ApprovalRecord;
  readonly sealed: SealedRow<ApprovalBody>;
}

/** Room for the largest args twice: a record contains them in full and in short. */
const maxCharacters = 16 * 1024 * 1024;

export class ApprovalRows {
  private readonly table: SealedTable<ApprovalBody>;

  constructor(private readonly context: Pick<NamespaceContext, 'namespace' | 'sealer'>) {
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
      isValid: ({ state }) => isApprovalState(state),
      maxCharacters,
    });
  }

  async read(queries: Queries, id: string): Promise<ApprovalRow | undefined> {
    const row = await this.table.read(queries, [id]);
    return row && toApproval(row);
  }

  /** Rows that match a condition, which may end with an order and a limit. */
  async select(queries: Queries, condition: string, values: readonly SqlValue[]): Promise<readonly ApprovalRow[]> {
    return (await this.table.select(queries, condition, values)).map(toApproval);
  }

  async insert(transaction: Transaction, record: ApprovalRecord, tag: string): Promise<void> {
    const { id } = record;
    const nth = await this.countEarlier(transaction, record);
    const row = this.table.seal([id], { ...record, version: 1, nth, tag });
    if (await this.table.insert(transaction, row)) return;
    throw new BridleError('STORE_CONFLICT', `The approval ${id} already exists.`);
  }

  /** False if the row has changed since it was read. */
  async swap(
    transaction: Transaction,
    { sealed, version, nth }: ApprovalRow,
    { record, tag }: Pick<ApprovalRow, 'record' | 'tag'>,
  ): Promise<boolean> {
    const row = this.table.seal(sealed.key, { ...record, version: version + 1, nth, tag });
    return this.table.swap(transaction, sealed, { row });
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
}

function toApproval(sealed: SealedRow<ApprovalBody>): ApprovalRow {
  const { version, nth, tag, ...record } = sealed.body;
  return { record, version, nth, tag, sealed };
}
