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

/** True in `npm run test:long`, which repeats the test files that use `sample` or `someOf`. */
const isLongRun = process.env['BRIDLE_LONG'] === '1';

/** The same for large samples: ten times as many in `npm run test:long`. */
export function sample(count: number): number {
  return runs(count) * (isLongRun ? 10 : 1);
}

/** About `count` of the cases in `npm test`, evenly spread; all of them in `npm run test:long`. */
export function someOf<T>(cases: readonly T[], count: number): readonly T[] {
  if (isLongRun) return cases;
  const step = Math.max(1, Math.floor(cases.length / count));
  return cases.filter((_, index) => index % step === 0);
}
