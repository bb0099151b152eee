/** Counters in a store: everything about one account happens one after another, in every process. */

import { BridleError } from '../../errors.ts';
import type { Queries, Transaction } from '../database/database.ts';
import type { PartOptions } from '../part-options.ts';
import { storeTime } from '../store-time.ts';
import { Account, type AccountBody } from './account.ts';
import type { Amounts, Counters, Full, Taking } from './counters.ts';
import { RateTimes } from './rate-times.ts';
import { checkAccount, checkAmounts, checkTaking } from './taking-problem.ts';

const table = 'bridle_counters';
/** That an account was begun: without this a lost row would look like one that has used nothing. */
const marksTable = 'bridle_counter_marks';

export function openCounters(parts: PartOptions): Counters {
  return new StoredCounters(parts);
}

class StoredCounters implements Counters {
  constructor(private readonly parts: PartOptions) {}

  async take(taking: Taking): Promise<Full | undefined> {
    checkTaking(taking);
    const { account: name, amounts, spent = {}, limits = {}, rates = {}, hold } = taking;
    return this.change(name, async (account, transaction) => {
      const times = new RateTimes(this.parts, transaction, { name, of: account });
      account.add(spent);
      let full = account.full(limits);
      for (const [kind, rate] of Object.entries(rates)) full ??= await times.full(kind, rate);
      if (full !== undefined) return { kept: Object.keys(spent).length > 0, result: full };
      for (const [kind, rate] of Object.entries(rates)) await times.add(kind, rate);
      account.add(amounts);
      if (hold !== undefined) account.hold(hold);
      return { kept: true, result: undefined };
    });
  }

  async renew(account: string, holds: readonly string[], ms: number): Promise<void> {
    checkAccount(account);
    await this.change(account, (of) => {
      for (const id of holds) of.renew(id, ms);
      return { kept: holds.length > 0, result: undefined };
    });
  }

  async settle(account: string, hold: string, used: Amounts): Promise<Amounts> {
    checkAccount(account);
    checkAmounts('used', used);
    return this.change(account, (of) => ({ kept: of.settle(hold, used), result: of.body.used }));
  }

  async add(account: string, amounts: Amounts): Promise<void> {
    checkAccount(account);
    checkAmounts('amounts', amounts, { mayBeNegative: true });
    await this.change(account, (of) => {
      of.add(amounts);
      return { kept: true, result: undefined };
    });
  }

  async used(account: string): Promise<Amounts> {
    checkAccount(account);
    const { database } = this.parts;
    const of = new Account((await this.read(database, account))?.body, await storeTime(this.parts, database));
    return Object.fromEntries(of.kinds.map((kind) => [kind, of.counted(kind)]));
  }

  /** One change of an account. What is not kept leaves everything as it was. */
  private change<T>(
    name: string,
    work: (account: Account, transaction: Transaction) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    return this.parts.database.write(async (transaction) => {
      const [, stored, now] = await Promise.all([
        transaction.lock(`counters:${this.parts.namespace}:${name}`),
        this.read(transaction, name),
        storeTime(this.parts, transaction),
      ]);
      const account = new Account(stored?.body, now);
      const { kept, result } = await work(account, transaction);
      if (kept) await this.write(transaction, { name, body: account.body, before: stored?.mac });
      return result;
    });
  }

  private async read(queries: Queries, account: string): Promise<StoredAccount | undefined> {
    const { namespace, sealer } = this.parts;
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
    const lost = `What the account "${account}" has used was lost, so nothing is taken from it.`;
    throw new BridleError('STORE_DAMAGED', `${lost} Restore the store from a copy, or use another account.`);
  }

  private async write(transaction: Transaction, account: AccountChange): Promise<void> {
    const { name, body, before } = account;
    const { namespace, sealer } = this.parts;
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
    if (written !== 1) throw new BridleError('STORE_CONFLICT', `the account "${name}" was changed meanwhile`);
  }
}

interface StoredAccount {
  readonly body: AccountBody;
  readonly mac: string;
}

interface Change<T> {
  readonly kept: boolean;
  readonly result: T;
}

interface AccountChange {
  readonly name: string;
  readonly body: AccountBody;
  /** The seal of the row that is replaced; undefined if there is none. */
  readonly before: string | undefined;
}
