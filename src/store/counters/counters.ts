/** Limits shared by many processes: counted in the store, in one transaction each, so that no limit is exceeded. */

import { BridleError } from '../../kernel/errors.ts';

/** An amount per kind. */
export type Amounts = Readonly<Record<string, number>>;

export interface SharedRate {
  readonly max: number;
  readonly perMs: number;
}

/** An amount set aside for an operation whose use is known only afterwards. */
export interface Reservation {
  /** A unique id, used to settle it. */
  readonly id: string;
  /** The most it can use: counted while the operation runs. */
  readonly most: Amounts;
  /** Counted as used if nobody settles it, because its process was killed. */
  readonly presumed: Amounts;
  /** How long it lasts unless it is renewed. */
  readonly ms: number;
}

export interface TakeRequest {
  /** The account, such as `team-a`. */
  readonly account: string;
  /** The amounts to take. */
  readonly amounts: Amounts;
  /** Amounts already used: counted first, even if the rest cannot be taken. */
  readonly spent?: Amounts | undefined;
  /**
   * The limit of each kind. A kind at its limit refuses every request. Below the limit, one request may exceed it, so
   * take amounts one by one where the limit must be exact.
   */
  readonly limits?: Amounts | undefined;
  /** The rate of each kind: how many requests are allowed in any period. Each request counts as one. */
  readonly rates?: Readonly<Record<string, SharedRate>> | undefined;
  readonly hold?: Reservation | undefined;
}

/** The limit or rate that refused a request. */
export interface TakeRefusal {
  readonly by: 'limit' | 'rate';
  readonly kind: string;
  readonly used: number;
  readonly of: number;
}

export interface Counters {
  /** Takes all amounts, or none except `spent`. Returns the limit or rate that refused the request. */
  take(request: TakeRequest): Promise<TakeRefusal | undefined>;
  /** Extends reservations. Reservations that have ended stay ended. */
  renew(account: string, holds: readonly string[], ms: number): Promise<void>;
  /**
   * Replaces a reservation with the amount really used; settling twice counts once. Returns the total used by all
   * processes.
   */
  settle(account: string, hold: string, used: Amounts): Promise<Amounts>;
  /** Adds to an account without checking limits. Negative amounts give back. */
  add(account: string, amounts: Amounts): Promise<void>;
  /** What counts against the limits: used amounts and reservations. */
  used(account: string): Promise<Amounts>;
}

const maxNameLength = 200;

/** Refuses invalid requests: a limit that is not a number would never be reached. */
export function checkTakeRequest({ account, amounts, spent = {}, limits = {}, rates = {}, hold }: TakeRequest): void {
  checkAccount(account);
  checkAmounts('amounts', amounts);
  checkAmounts('spent', spent);
  checkAmounts('limits', limits);
  for (const [kind, { max, perMs }] of Object.entries(rates)) {
    if (!Number.isSafeInteger(max) || max < 1 || !Number.isFinite(perMs) || perMs <= 0) {
      throw invalidRequest(
        `the rate of ${kind} must be { max: an integer of at least 1, perMs: milliseconds above 0 }`,
      );
    }
  }
  if (hold === undefined) return;
  checkAmounts('hold.most', hold.most);
  checkAmounts('hold.presumed', hold.presumed);
  if (hold.id === '' || !Number.isFinite(hold.ms) || hold.ms <= 0) {
    throw invalidRequest('hold must be { id: a string, ms: milliseconds above 0, … }');
  }
}

export function checkAccount(account: unknown): void {
  if (typeof account === 'string' && account !== '' && account.length <= maxNameLength) return;
  throw invalidRequest(`account must be a string of 1 to ${maxNameLength} characters`);
}

export function checkAmounts(what: string, amounts: Amounts, { mayBeNegative = false } = {}): void {
  for (const [kind, amount] of Object.entries(amounts)) {
    if (kind === '__proto__') throw invalidRequest(`${what} must not have a kind named "${kind}"`);
    if (Number.isFinite(amount) && (mayBeNegative || amount >= 0)) continue;
    throw invalidRequest(
      `${what}.${kind} must be a number${mayBeNegative ? '' : ' of at least 0'}, not ${String(amount)}`,
    );
  }
}

function invalidRequest(problem: string): BridleError {
  return new BridleError('OPTION_INVALID', `counters: ${problem}`);
}
