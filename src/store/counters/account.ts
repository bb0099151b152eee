/** One account: used amounts, holds, and the timestamps that rates look back at. */

import type { Amounts, TakeRefusal, Reservation } from './counters.ts';

type StoredReservation = Omit<Reservation, 'id' | 'ms'> & { readonly until: number };

/** The stored timestamps of a kind: from `first` up to, but not including, `next`. */
export interface TimeRange {
  readonly first: number;
  readonly next: number;
  /** How many are kept: the largest `max` of any rate so far. */
  readonly keep: number;
}

/** A stored account. */
export interface AccountBody {
  /** Grows with every change. */
  readonly version: number;
  /** The latest time seen. It never goes back, even if a clock does. */
  readonly at: number;
  readonly used: Amounts;
  readonly holds: Readonly<Record<string, StoredReservation>>;
  /** Expired holds, newest last, with the amounts presumed used, so that a late `settle` can correct them. */
  readonly lapsed: Readonly<Record<string, Amounts>>;
  readonly times: Readonly<Record<string, TimeRange>>;
}

/** Older expired holds are forgotten: their presumed amounts can no longer be corrected. */
const maxLapsed = 200;

export class Account {
  private readonly used: Map<string, number>;
  private readonly holds: Map<string, StoredReservation>;
  private readonly lapsed: Map<string, Amounts>;
  readonly times: Map<string, TimeRange>;
  private readonly version: number;
  readonly now: number;

  constructor(body: AccountBody | undefined, now: number) {
    this.version = body?.version ?? 0;
    this.now = Math.max(now, body?.at ?? 0);
    this.used = new Map(Object.entries(body?.used ?? {}));
    this.holds = new Map(Object.entries(body?.holds ?? {}));
    this.lapsed = new Map(Object.entries(body?.lapsed ?? {}));
    this.times = new Map(Object.entries(body?.times ?? {}));
    this.expireHolds();
  }

  get body(): AccountBody {
    return {
      version: this.version + 1,
      at: this.now,
      used: Object.fromEntries(this.used),
      holds: Object.fromEntries(this.holds),
      lapsed: Object.fromEntries([...this.lapsed].slice(-maxLapsed)),
      times: Object.fromEntries(this.times),
    };
  }

  /** The amount used plus the amount on hold. */
  total(kind: string): number {
    let sum = this.used.get(kind) ?? 0;
    for (const { most } of this.holds.values()) sum += amountOf(most, kind);
    return sum;
  }

  get kinds(): readonly string[] {
    return [...new Set([...this.used.keys(), ...[...this.holds.values()].flatMap(({ most }) => Object.keys(most))])];
  }

  /** The first limit that is reached. */
  reachedLimit(limits: Amounts): TakeRefusal | undefined {
    for (const [kind, of] of Object.entries(limits)) {
      const used = this.total(kind);
      if (used >= of) return { by: 'limit', kind, used, of };
    }
    return undefined;
  }

  add(amounts: Amounts, sign: 1 | -1 = 1): void {
    for (const [kind, amount] of Object.entries(amounts)) {
      // Sums of fractions can end slightly below zero, which would make a limit of zero pass.
      this.used.set(kind, Math.max(0, (this.used.get(kind) ?? 0) + sign * amount));
    }
  }

  hold({ id, most, presumed, ms }: Reservation): void {
    this.holds.set(id, { most, presumed, until: this.now + ms });
  }

  renew(id: string, ms: number): void {
    const hold = this.holds.get(id);
    if (hold !== undefined) this.holds.set(id, { ...hold, until: Math.max(hold.until, this.now + ms) });
  }

  /** False if it is already settled. */
  settle(id: string, used: Amounts): boolean {
    const presumed = this.lapsed.get(id);
    if (presumed !== undefined) this.add(presumed, -1);
    const known = this.holds.delete(id) || this.lapsed.delete(id);
    if (known) this.add(used);
    return known;
  }

  /** Ends the holds that were not renewed and counts their presumed amounts as used. */
  private expireHolds(): void {
    for (const [id, { presumed, until }] of this.holds) {
      if (until > this.now) continue;
      this.holds.delete(id);
      this.lapsed.set(id, presumed);
      this.add(presumed);
    }
  }
}

function amountOf(amounts: Amounts, kind: string): number {
  return Object.hasOwn(amounts, kind) ? (amounts[kind] as number) : 0;
}
