/** Suggests the name that was probably meant. Long names are skipped, because comparing takes quadratic time. */

import { closestName } from '../../kernel/similar-names.ts';

const maxLength = 64;

export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  return closestName(
    name,
    [...known].filter((each) => each.length <= maxLength),
  );
}
