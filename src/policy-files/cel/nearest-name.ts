/** What a wrong name was meant to be. Nobody misspells a name of that length, and comparing takes the square of it. */

import { closestName } from '../../kernel/similar-names.ts';

const maxLength = 64;

export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  return closestName(
    name,
    [...known].filter((each) => each.length <= maxLength),
  );
}
