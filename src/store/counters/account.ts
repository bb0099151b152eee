/** One account: what was used of each kind, what is set aside, and how many times a rate can look back at. */

import type { Amounts, LimitReached, Hold } from './counters.ts';

type StoredHold = Omit<Hold, 'id' | 'ms'> & { readonly until: number };

/** The times of a kind that are kept: those from `first` up to `next`. */
export interface TimeRange {
  readonly first: number;
  readonly next: number;
  /** The largest rate that ever looked back: so many are kept. */
  readonly keep: number;
}

/** An account as it is stored. */
export interface AccountBody {
  /** Grows with every change. */
  readonly version: number;
  /** The latest time that was seen. It never goes back, whatever clocks do. */
  readonly at: number;
  readonly used: Amounts;
  readonly holds: Readonly<Record<string, StoredHold>>;
  /** Of those that nobody settled in time, the latest: what was presumed, so that a late word can correct it. */
  readonly lapsed: Readonly<Record<string, Amounts>>;
  readonly times: Readonly<Record<string, TimeRange>>;
}

/** A process that was away for so long that as many others lapsed since has its presumed use counted for good. */
const maxLapsed = 200;

export class Account {
  private readonly used: Map<string, number>;
  private readonly holds: Map<string, StoredHold>;
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

  /** What was used and is set aside. */
  total(kind: string): number {
    let sum = this.used.get(kind) ?? 0;
    for (const { most } of this.holds.values()) sum += amountOf(most, kind);
    return sum;
  }

  get kinds(): readonly string[] {
    return [...new Set([...this.used.keys(), ...[...this.holds.values()].flatMap(({ most }) => Object.keys(most))])];
  }

  /** The first limit that leaves nothing. */
  reachedLimit(limits: Amounts): LimitReached | undefined {
    for (const [kind, of] of Object.entries(limits)) {
      const used = this.total(kind);
      if (used >= of) return { by: 'limit', kind, used, of };
    }
    return undefined;
  }

  add(amounts: Amounts, sign: 1 | -1 = 1): void {
    for (const [kind, amount] of Object.entries(amounts)) {
      // Sums of fractions may end a little below nothing, which would open a limit of nothing.
      this.used.set(kind, Math.max(0, (this.used.get(kind) ?? 0) + sign * amount));
    }
  }

  hold({ id, most, presumed, ms }: Hold): void {
    this.holds.set(id, { most, presumed, until: this.now + ms });
  }

  renew(id: string, ms: number): void {
    const hold = this.holds.get(id);
    if (hold !== undefined) this.holds.set(id, { ...hold, until: Math.max(hold.until, this.now + ms) });
  }

  /** False if it is settled already. */
  settle(id: string, used: Amounts): boolean {
    const presumed = this.lapsed.get(id);
    if (presumed !== undefined) this.add(presumed, -1);
    const known = this.holds.delete(id) || this.lapsed.delete(id);
    if (known) this.add(used);
    return known;
  }

  /** What nobody renewed is no longer set aside: from here on it counts as used. */
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
