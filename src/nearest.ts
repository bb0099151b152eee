/** Finding what a wrong name was meant to be. */

/** The known name closest to `name`, if one is close enough to suggest. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const folded = name.toLowerCase();
  let best: string | undefined;
  let bestSlips = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestSlips) continue;
    const found = slips(folded, candidate.toLowerCase());
    if (found < bestSlips) [best, bestSlips] = [candidate, found];
  }
  return best;
}

/** Edit distance. */
export function slips(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** A field that was probably meant to be one of `known`, and would otherwise be silently ignored. */
export function misspelled(
  given: object,
  known: readonly string[],
): { readonly field: string; readonly meant: string } | undefined {
  for (const field of Object.keys(given)) {
    if (field.length < 3 || known.includes(field)) continue;
    const meant = known.find((each) => slips(field.toLowerCase(), each.toLowerCase()) <= (each.length < 6 ? 1 : 2));
    if (meant !== undefined) return { field, meant };
  }
  return undefined;
}
