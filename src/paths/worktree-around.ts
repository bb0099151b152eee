import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import { probe } from './refusal.ts';
import { touchedPlace, type TouchedPlace } from './touched-place.ts';

/** The whole working tree of git that a folder lies in; the folder itself where there is none. */
export function worktreeAround(place: TouchedPlace): TouchedPlace {
  const start = place.checked?.path;
  if (start === undefined) return place;
  for (let folder = start; ; folder = posix.dirname(folder)) {
    const found = probe(() => lstatSync(posix.join(folder, '.git'), { throwIfNoEntry: false }));
    if (found.type === 'found' && found.value !== undefined)
      return folder === start ? place : touchedPlace(folder, '/');
    if (folder === posix.dirname(folder)) return place;
  }
}
