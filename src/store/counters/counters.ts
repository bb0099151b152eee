/** What many processes may use together: counted in the store, in one transaction each, so that no limit is exceeded. */

/** How much of each kind. */
export type Amounts = Readonly<Record<string, number>>;

export interface SharedRate {
  readonly max: number;
  readonly perMs: number;
}

/** What is set aside for something whose use is known only afterwards. */
export interface Hold {
  /** Whoever settles it names it so; nobody else has this name. */
  readonly id: string;
  /** The most it can use: counted while it is under way. */
  readonly most: Amounts;
  /** What counts as used if nobody settles it: its process was killed, and what it used will never be told. */
  readonly presumed: Amounts;
  /** How long it is set aside, unless it is renewed. */
  readonly ms: number;
}

export interface TakeRequest {
  /** The account, such as `team-a`. */
  readonly account: string;
  /** How much of each kind is taken. */
  readonly amounts: Amounts;
  /** What was used up to here: counted first, and whether or not the rest can be taken. */
  readonly spent?: Amounts | undefined;
  /**
   * Of each kind that has a limit: how much there may be in all. A kind that is full refuses, whatever is asked; one that
   * is not may be gone past by this one taking, so that what must be exact is taken one by one.
   */
  readonly limits?: Amounts | undefined;
  /** Of each kind that has a rate: how many there may be in any stretch of time. Counted one per taking. */
  readonly rates?: Readonly<Record<string, SharedRate>> | undefined;
  readonly hold?: Hold | undefined;
}

/** The limit that stands in the way. */
export interface LimitReached {
  readonly by: 'limit' | 'rate';
  readonly kind: string;
  readonly used: number;
  readonly of: number;
}

export interface Counters {
  /** Takes everything, or nothing (but what was spent already) and tells why. */
  take(request: TakeRequest): Promise<LimitReached | undefined>;
  /** Lengthens what is set aside; what has ended already is left alone. */
  renew(account: string, holds: readonly string[], ms: number): Promise<void>;
  /** Counts what something has used in the place of what was set aside for it. Twice is once. What all have used so far. */
  settle(account: string, hold: string, used: Amounts): Promise<Amounts>;
  /** Adds to (or, with negative amounts, gives back to) an account without asking. */
  add(account: string, amounts: Amounts): Promise<void>;
  /** What counts against limits: what was used, and what is set aside. */
  used(account: string): Promise<Amounts>;
}
