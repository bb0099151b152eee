/** Parses durations, sizes and dates. */

const units: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  duration: { ms: 1, s: 1000, m: 60_000, h: 3_600_000 },
  size: { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 },
};

/**
 * Parses a whole number with a unit: `30s`, `64KiB`. Returns undefined for anything else, also for zero and for numbers
 * that are too large.
 */
export function readAmount(text: string, kind: 'duration' | 'size'): number | undefined {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,15})([A-Za-z]+)$/.exec(text) ?? [];
  const table = units[kind];
  if (table === undefined || !Object.hasOwn(table, unit)) return undefined;
  const amount = Number(digits) * (table[unit] ?? Number.NaN);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** Examples of valid amounts, for messages. */
export const amountForms = {
  duration: 'a duration such as "500ms", "30s", "5m" or "2h"',
  size: 'a size such as "512B", "64KiB", "1MiB" or "2GiB"',
} as const;

const timePattern =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;

/** Parses a day (its start in UTC) or a time with a zone to milliseconds since 1970. */
export function readTime(text: string): number | undefined {
  const day = timePattern.exec(text)?.[1];
  if (day === undefined) return undefined;
  const start = Date.parse(`${day}T00:00:00Z`);
  // `Date` would accept a day that does not exist, such as February 30, as a day of the next month.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) return undefined;
  return Date.parse(text);
}
