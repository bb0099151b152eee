/** Suggestions for misspelled names. */

/** The known name closest to `name`, if one is similar enough to suggest. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  const folded = name.toLowerCase().replace(/ies$/, 'y');
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const found = editDistance(folded, candidate.toLowerCase());
    if (found < bestDistance) [best, bestDistance] = [candidate, found];
  }
  return best;
}

export function editDistance(a: string, b: string): number {
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

/** Finds a field that is probably a misspelling of one of `known` and would otherwise be silently ignored. */
export function misspelledField(
  given: object,
  known: readonly string[],
): { readonly field: string; readonly meant: string } | undefined {
  for (const field of Object.keys(given)) {
    if (field.length < 3 || known.includes(field)) continue;
    // If `name` is set as well, `names` is another field and not a misspelling.
    const meant = known.find(
      (each) => isTypo(field.toLowerCase(), each.toLowerCase()) && !(field === `${each}s` && each in given),
    );
    if (meant !== undefined) return { field, meant };
  }
  return undefined;
}

/** Short words resemble many other words (`gate`, `rate`, `date`), so for them only common typos count. */
function isTypo(field: string, meant: string): boolean {
  if (meant.length >= 6) return editDistance(field, meant) <= 2;
  const folded = field.replaceAll(/(?<=.)[-_ ]/g, '');
  return folded === meant || folded === `${meant}s` || `${folded}s` === meant || isSwapped(folded, meant);
}

function isSwapped(a: string, b: string): boolean {
  let at = 0;
  while (at < b.length && a[at] === b[at]) at++;
  return a === b.slice(0, at) + b.slice(at + 1, at + 2) + b.charAt(at) + b.slice(at + 2);
}
