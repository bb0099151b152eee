/**
 * How long property tests run, and with which random cases. `npm test` always uses the same ones, so a change is never
 * refused for something another seed would also have found. `npm run explore` uses new ones.
 */

/** The seed of everything random in tests; `BRIDLE_SEED` replaces it. */
export const seed = Number(process.env['BRIDLE_SEED'] ?? 20261115);

/** The number of runs of a property whose everyday size is `count`; `BRIDLE_RUNS` multiplies it. */
export function runs(count: number): number {
  return Math.ceil(count * (Number(process.env['BRIDLE_RUNS']) || 1));
}

/** The same for the large samples that `npm run test:long` draws again, ten times as large. */
export function sample(count: number): number {
  return runs(count) * (Number(process.env['BRIDLE_SAMPLE']) || 1);
}
