/** Rounds long enough for what a database does only now and then, like merging its log. */
export function storePace(pace) {
  return {
    full: { ...pace, rounds: 15, roundMs: 200, warmMs: 600, slowMs: 10_000, budgetMs: 5000 },
    quick: { ...pace, rounds: 3, roundMs: 60, warmMs: 60, slowMs: 10_000, budgetMs: 300 },
    smoke: pace,
  }[pace.name];
}
