/** Limits the work that one decision may spend on the disk (X05). Beyond the limit, results are unknown. */

/** Roughly in microseconds. */
const maxCost = 500_000;

/** The reason given for everything that was not looked up because the budget is spent. */
export const overBudgetReason = 'looking up its files would take too long: the call names or contains too many';

/** Costs of operations, roughly in microseconds. */
export const diskCosts = {
  /** One system call. */
  call: 3,
  /** Opening a folder, and reading each of its entries. */
  folder: 20,
  entry: 2,
  /** Each name of a path that is resolved, and of a link that is followed. */
  name: 10,
  /** A path that is already in the cache. */
  known: 0.5,
  /** A file in a list of names. */
  file: 4,
} as const;

/** The budget of one decision. */
export class DiskBudget {
  constructor(private remaining: number = maxCost) {}

  /** Returns false if the budget is spent; the caller must then skip the operation. */
  spend(cost: number): boolean {
    this.remaining -= cost;
    return this.remaining >= 0;
  }
}
