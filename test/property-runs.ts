/**
 * How long property tests run, and with which random cases. `npm test` always uses the same cases, so a change is never
 * rejected for a failure that another seed finds. `npm run explore` uses new ones.
 */

/** The seed for all random tests; `BRIDLE_SEED` replaces it. */
export const seed = Number(process.env['BRIDLE_SEED'] ?? 20261115);

/** The number of runs of a property with the usual size `count`; `BRIDLE_RUNS` multiplies it. */
export function runs(count: number): number {
  return Math.ceil(count * (Number(process.env['BRIDLE_RUNS']) || 1));
}

/** The same for the large samples that `npm run test:long` repeats at ten times the size. */
export function sample(count: number): number {
  return runs(count) * (Number(process.env['BRIDLE_SAMPLE']) || 1);
}
