/** Describes the type of an unexpected value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? (Array.isArray(value) ? 'a list' : 'an object') : `a ${typeof value}`;
}
