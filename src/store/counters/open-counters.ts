/** Counters in a store. Changes to one account are serialized across all processes. */

import { BridleError } from '../../kernel/errors.ts';
import type { Transaction } from '../database/database.ts';
import { type NamespaceContext, storeTime } from '../namespace/namespace.ts';
import { Account, type AccountBody } from './account.ts';
import {
  type Amounts,
  checkAccount,
  checkAmounts,
  checkTakeRequest,
  type Counters,
  type TakeRefusal,
  type TakeRequest,
} from './counters.ts';
import { SealedTable } from '../namespace/sealed-table.ts';
import { RateTimes } from './rate-times.ts';

export function openCounters(context: NamespaceContext): Counters {
  return new StoredCounters(context);
}

class StoredCounters implements Counters {
  private readonly table: SealedTable<AccountBody>;

  constructor(private readonly context: NamespaceContext) {
    this.table = new SealedTable(context, 'bridle_counters', {
      marks: { table: 'bridle_counter_marks', lost: ([account]) => lostUsage(account) },
    });
  }

  async take(request: TakeRequest): Promise<TakeRefusal | undefined> {
    checkTakeRequest(request);
    const { account: name, amounts, spent = {}, limits = {}, rates = {}, hold } = request;
    return this.change(name, async (account, transaction) => {
      const times = new RateTimes(this.context, transaction, { name, of: account });
      account.add(spent);
      let reached = account.reachedLimit(limits);
      for (const [kind, rate] of Object.entries(rates)) reached ??= await times.reachedLimit(kind, rate);
      if (reached !== undefined) return { isChanged: Object.keys(spent).length > 0, result: reached };
      for (const [kind, rate] of Object.entries(rates)) await times.add(kind, rate);
      account.add(amounts);
      if (hold !== undefined) account.hold(hold);
      return { isChanged: true, result: undefined };
    });
  }

  async renew(account: string, holds: readonly string[], ms: number): Promise<void> {
    checkAccount(account);
    await this.change(account, (state) => {
      for (const id of holds) state.renew(id, ms);
      return { isChanged: holds.length > 0, result: undefined };
    });
  }

  async settle(account: string, hold: string, used: Amounts): Promise<Amounts> {
    checkAccount(account);
    checkAmounts('used', used);
    return this.change(account, (state) => ({ isChanged: state.settle(hold, used), result: state.body.used }));
  }

  async add(account: string, amounts: Amounts): Promise<void> {
    checkAccount(account);
    checkAmounts('amounts', amounts, { mayBeNegative: true });
    await this.change(account, (state) => {
      state.add(amounts);
      return { isChanged: true, result: undefined };
    });
  }

  async used(account: string): Promise<Amounts> {
    checkAccount(account);
    const { database } = this.context;
    const stored = await this.table.read(database, [account]);
    const state = new Account(stored?.body, await storeTime(this.context, database));
    return Object.fromEntries(state.kinds.map((kind) => [kind, state.total(kind)]));
  }

  /** One change of an account. With `isChanged: false` nothing is written. */
  private change<T>(
    name: string,
    work: (account: Account, transaction: Transaction) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    return this.context.database.write(async (transaction) => {
      const [, stored, now] = await Promise.all([
        transaction.lock(`counters:${this.context.namespace}:${name}`),
        this.table.read(transaction, [name]),
        storeTime(this.context, transaction),
      ]);
      const account = new Account(stored?.body, now);
      const { isChanged, result } = await work(account, transaction);
      if (!isChanged) return result;
      const row = this.table.seal([name], account.body);
      const isWritten =
        stored === undefined
          ? await this.table.insert(transaction, row)
          : await this.table.swap(transaction, stored, { row });
      if (!isWritten) throw new BridleError('STORE_CONFLICT', `the account "${name}" was changed in the meantime`);
      return result;
    });
  }
}

interface Change<T> {
  readonly isChanged: boolean;
  readonly result: T;
}

function lostUsage(account: unknown): BridleError {
  const lost = `The usage of the account "${String(account)}" was lost, so requests against it are refused.`;
  return new BridleError('STORE_DAMAGED', `${lost} Restore the store from a backup, or use another account.`);
}
