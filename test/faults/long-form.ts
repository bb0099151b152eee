/** Fault tests have a short form, for every change, and a long one: `BRIDLE_LONG=1 npx vitest run test/faults`. */

const isLong = process.env['BRIDLE_LONG'] === '1';

export function inForm<T>(forms: { readonly short: T; readonly long: T }): T {
  return isLong ? forms.long : forms.short;
}

/** The seed of everything random here; `BRIDLE_SEED` repeats a run. */
export const seed = Number(process.env['BRIDLE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** How long one test may hang: ten times what it takes on a slow machine. */
export const hangMs = inForm({ short: 300_000, long: 4 * 3_600_000 });
