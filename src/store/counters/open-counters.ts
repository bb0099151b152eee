/** Counters in a store. Changes to one account are serialized across all processes. */

import { BridleError } from '../../kernel/errors.ts';
import type { Queries, Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace-context.ts';
import { storeTime } from '../namespace/store-time.ts';
import { Account, type AccountBody } from './account.ts';
import type { Amounts, Counters, TakeRefusal, TakeRequest } from './counters.ts';
import { RateTimes } from './rate-times.ts';
import { checkAccount, checkAmounts, checkTakeRequest } from './check-take-request.ts';

const table = 'bridle_counters';
/** Marks that an account exists. Without it, a lost row would look like an account that has used nothing. */
const marksTable = 'bridle_counter_marks';

export function openCounters(context: NamespaceContext): Counters {
  return new StoredCounters(context);
}

class StoredCounters implements Counters {
  constructor(private readonly context: NamespaceContext) {}

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
    const state = new Account((await this.read(database, account))?.body, await storeTime(this.context, database));
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
        this.read(transaction, name),
        storeTime(this.context, transaction),
      ]);
      const account = new Account(stored?.body, now);
      const { isChanged, result } = await work(account, transaction);
      if (isChanged) await this.write(transaction, { name, body: account.body, before: stored?.mac });
      return result;
    });
  }

  private async read(queries: Queries, account: string): Promise<StoredAccount | undefined> {
    const { namespace, sealer } = this.context;
    const [row] = await queries.all(`SELECT body, mac FROM ${table} WHERE namespace = ? AND account = ?`, [
      namespace,
      account,
    ]);
    if (row !== undefined) {
      const body = JSON.parse(sealer.open({ table, key: [account] }, row)) as AccountBody;
      return { body, mac: String(row['mac']) };
    }
    const marks = await queries.all(`SELECT account FROM ${marksTable} WHERE namespace = ? AND account = ?`, [
      namespace,
      account,
    ]);
    if (marks.length === 0) return undefined;
    const lost = `The usage of the account "${account}" was lost, so requests against it are refused.`;
    throw new BridleError('STORE_DAMAGED', `${lost} Restore the store from a backup, or use another account.`);
  }

  private async write(transaction: Transaction, account: AccountChange): Promise<void> {
    const { name, body, before } = account;
    const { namespace, sealer } = this.context;
    const sealed = sealer.seal({ table, key: [name] }, JSON.stringify(body));
    const columns = [sealed.body, sealed.mac, namespace, name];
    if (before === undefined) {
      await Promise.all([
        transaction.run(`INSERT INTO ${marksTable} (namespace, account) VALUES (?, ?)`, [namespace, name]),
        transaction.run(`INSERT INTO ${table} (body, mac, namespace, account) VALUES (?, ?, ?, ?)`, columns),
      ]);
      return;
    }
    const where = 'namespace = ? AND account = ? AND mac = ?';
    const written = await transaction.run(`UPDATE ${table} SET body = ?, mac = ? WHERE ${where}`, [...columns, before]);
    if (written !== 1) throw new BridleError('STORE_CONFLICT', `the account "${name}" was changed in the meantime`);
  }
}

interface StoredAccount {
  readonly body: AccountBody;
  readonly mac: string;
}

interface Change<T> {
  readonly isChanged: boolean;
  readonly result: T;
}

interface AccountChange {
  readonly name: string;
  readonly body: AccountBody;
  /** The MAC of the replaced row; undefined if there is none. */
  readonly before: string | undefined;
}
