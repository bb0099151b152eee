/**
 * Exact sliding-window rates: a request passes if the `max`th request before it is at least `perMs` old. Only that one
 * timestamp is read, so a rate of a million costs no more than a rate of one.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import { SealedTable } from '../namespace/sealed-table.ts';
import type { Account, TimeRange } from './account.ts';
import type { TakeRefusal, SharedRate } from './counters.ts';

const noTimes: TimeRange = { first: 0, next: 0, keep: 0 };

export class RateTimes {
  private readonly table: SealedTable<{ readonly at: number }>;

  constructor(
    private readonly context: NamespaceContext,
    private readonly transaction: Transaction,
    private readonly account: { readonly name: string; readonly of: Account },
  ) {
    this.table = new SealedTable(context, 'bridle_counter_times');
  }

  async reachedLimit(kind: string, { max, perMs }: SharedRate): Promise<TakeRefusal | undefined> {
    const { of } = this.account;
    const { first, next } = of.times.get(kind) ?? noTimes;
    if (next < max) return undefined;
    // If a smaller rate has deleted the timestamp, it was older than the first one left: check that one instead.
    const before = await this.read(kind, Math.max(first, next - max));
    return before > of.now - perMs ? { by: 'rate', kind, used: max, of: max } : undefined;
  }

  async add(kind: string, { max }: SharedRate): Promise<void> {
    const { name, of } = this.account;
    const { first, next, keep: kept } = of.times.get(kind) ?? noTimes;
    const { namespace } = this.context;
    const row = this.table.seal([name, kind, next], { at: of.now });
    if (!(await this.table.insert(this.transaction, row))) {
      throw new BridleError(
        'STORE_CONFLICT',
        `the rate of ${kind} in the account "${name}" was changed in the meantime`,
      );
    }
    const keep = Math.max(kept, max);
    const oldest = Math.max(first, next + 1 - keep);
    if (oldest > first) {
      await this.transaction.run(
        'DELETE FROM bridle_counter_times WHERE namespace = ? AND account = ? AND kind = ? AND seq < ?',
        [namespace, name, kind, oldest],
      );
    }
    of.times.set(kind, { first: oldest, next: next + 1, keep });
  }

  private async read(kind: string, seq: number): Promise<number> {
    const row = await this.table.read(this.transaction, [this.account.name, kind, seq]);
    if (row !== undefined) return row.body.at;
    const where = `the rate of ${kind} in the account "${this.account.name}"`;
    throw new BridleError('STORE_DAMAGED', `A timestamp of ${where} is missing, so requests against it are refused.`);
  }
}
