/** Fault tests can run for hours: `BRIDLE_ENDURANCE=1 npx vitest run --mode long test/faults`. */

const isEndurance = process.env['BRIDLE_ENDURANCE'] === '1';

export function inForm<T>(forms: { readonly usual: T; readonly endurance: T }): T {
  return isEndurance ? forms.endurance : forms.usual;
}

/** The timeout of one test: ten times its duration on a slow machine. */
export const hangMs = inForm({ usual: 300_000, endurance: 4 * 3_600_000 });
