/** How long property tests run: `BRIDLE_RUNS` multiplies every count, `BRIDLE_SEED` repeats a run. */

/** The number of runs of a property whose everyday size is `count`. */
export function runs(count: number): number {
  return Math.ceil(count * (Number(process.env['BRIDLE_RUNS']) || 1));
}
