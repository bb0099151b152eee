/** Limits shared by many processes: counted in the store, in one transaction each, so that no limit is exceeded. */

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
