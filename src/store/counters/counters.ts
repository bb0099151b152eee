/** What many processes may use together: counted in the store, in one transaction each, so that no limit is exceeded. */

export interface SharedRate {
  readonly max: number;
  readonly perMs: number;
}

export interface Taking {
  /** The account, such as `team-a`. */
  readonly account: string;
  /** How much of each kind is taken. */
  readonly amounts: Readonly<Record<string, number>>;
  /** Of each kind that has a limit: how much there may be in all. A kind that is full refuses, whatever is asked. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
  /** Of each kind that has a rate: how many there may be in any stretch of time. Counted one per taking. */
  readonly rates?: Readonly<Record<string, SharedRate>> | undefined;
}

/** The limit that stands in the way. */
export interface Full {
  readonly kind: string;
  readonly used: number;
  readonly of: number;
}

export interface Counters {
  /** Takes everything, or nothing and tells why. */
  take(taking: Taking): Promise<Full | undefined>;
  /** Adds to (or, with negative amounts, gives back to) an account without asking. */
  add(account: string, amounts: Readonly<Record<string, number>>): Promise<void>;
  used(account: string): Promise<Readonly<Record<string, number>>>;
}
