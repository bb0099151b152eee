/** The usage and reservations of one turn or session, compared with its limits. */

import {
  type BudgetLimits,
  type BudgetKind,
  type BudgetCounts,
  type ReachedBudgetLimit,
  zeroCounts,
} from './budget-options.ts';

export class LimitedUsage {
  readonly reserved: BudgetCounts = zeroCounts();

  constructor(
    private readonly name: 'perTurn' | 'perSession',
    private readonly limits: BudgetLimits,
    readonly used: BudgetCounts,
  ) {}

  /** The first limit that leaves nothing for another call. Reservations count. */
  reachedLimit(kinds: readonly BudgetKind[]): ReachedBudgetLimit | undefined {
    for (const kind of kinds) {
      const of = this.limits[kind];
      const used = this.used[kind] + this.reserved[kind];
      if (of !== undefined && used >= of) return { limit: `${this.name}.${kind}`, used, of };
    }
    return undefined;
  }

  /** The first limit that was exceeded. Reservations do not count. */
  exceededLimit(kinds: readonly BudgetKind[]): ReachedBudgetLimit | undefined {
    for (const kind of kinds) {
      const of = this.limits[kind];
      const used = this.used[kind];
      if (of !== undefined && used > of) return { limit: `${this.name}.${kind}`, used, of };
    }
    return undefined;
  }

  remaining(kind: BudgetKind): number {
    return (this.limits[kind] ?? Number.POSITIVE_INFINITY) - this.used[kind] - this.reserved[kind];
  }
}
