/** What a wrong name was meant to be. Nobody misspells a name of that length, and comparing takes the square of it. */

import { nearest } from '../../nearest.ts';

const longest = 64;

export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longest) return undefined;
  return nearest(
    name,
    [...known].filter((each) => each.length <= longest),
  );
}
