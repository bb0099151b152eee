/** How much one decision may look up on the disk (X05): beyond it, nothing more is known. */

/** About as many microseconds. */
const maxCost = 500_000;

/** What is said of something that was not looked up any more. */
export const overBudgetReason =
  'looking up what it stands for would take too long: the call names or holds too many files';

/** What something costs, about in microseconds. */
export const diskCosts = {
  /** One system call. */
  call: 3,
  /** A folder that is opened, and each of its entries. */
  folder: 20,
  entry: 2,
  /** Each name of a path that is resolved, and of a link that is followed. */
  name: 10,
  /** A path that was resolved already. */
  known: 0.5,
  /** A file that a list of names stands for. */
  file: 4,
} as const;

/** One for all that a decision looks up. */
export class DiskBudget {
  constructor(private left: number = maxCost) {}

  /** False: it is used up, and what was asked for must not be done. */
  spend(cost: number): boolean {
    this.left -= cost;
    return this.left >= 0;
  }
}
