/** What one turn or one session has used and set aside, against its limits. */

import { type BudgetLimits, type Counted, type Counts, type Exceeded, noCounts } from './budget.ts';

export class BudgetAccount {
  readonly reserved: Counts = noCounts();

  constructor(
    private readonly name: 'perTurn' | 'perSession',
    private readonly limits: BudgetLimits,
    readonly used: Counts,
  ) {}

  /** The first limit that leaves nothing for another call of this kind. */
  full(kinds: readonly Counted[]): Exceeded | undefined {
    for (const kind of kinds) {
      const of = this.limits[kind];
      const used = this.used[kind] + this.reserved[kind];
      if (of !== undefined && used >= of) return { limit: `${this.name}.${kind}`, used, of };
    }
    return undefined;
  }

  /** The first limit that was gone past; what is only set aside is not used yet. */
  over(kinds: readonly Counted[]): Exceeded | undefined {
    for (const kind of kinds) {
      const of = this.limits[kind];
      const used = this.used[kind];
      if (of !== undefined && used > of) return { limit: `${this.name}.${kind}`, used, of };
    }
    return undefined;
  }

  left(kind: Counted): number {
    return (this.limits[kind] ?? Number.POSITIVE_INFINITY) - this.used[kind] - this.reserved[kind];
  }
}
