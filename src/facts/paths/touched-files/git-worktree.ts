import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import { probe } from '../resolve/path-refusal.ts';
import { locatePath, type PathLocation } from '../resolve/path-location.ts';

/** The whole working tree of git that a folder lies in; the folder itself where there is none. */
export function enclosingWorktree(place: PathLocation): PathLocation {
  const start = place.checked?.path;
  if (start === undefined) return place;
  for (let folder = start; ; folder = posix.dirname(folder)) {
    const found = probe(() => lstatSync(posix.join(folder, '.git'), { throwIfNoEntry: false }));
    if (found.type === 'found' && found.value !== undefined) return folder === start ? place : locatePath(folder, '/');
    if (folder === posix.dirname(folder)) return place;
  }
}

/** Whether git would find another repository from one of these places than from the folder. */
export function isOtherRepository(places: readonly PathLocation[], folder: string | undefined): boolean {
  const home = folder === undefined ? undefined : locatePath(folder, '/').checked?.path;
  if (home === undefined) return true;
  const own = enclosingRepository(home);
  // What is not there yet may become a repository.
  return places.some(({ checked }) => checked?.identity === undefined || enclosingRepository(checked.path) !== own);
}

/** A folder with `.git` in it, or one that is a repository itself, as git looks for them: from the inside out. */
function enclosingRepository(start: string): string | undefined {
  for (let folder = start; ; folder = posix.dirname(folder)) {
    const isThere = (name: string): boolean => mayExist(posix.join(folder, name));
    if (isThere('.git') || (isThere('HEAD') && isThere('refs') && isThere('objects'))) return folder;
    if (folder === posix.dirname(folder)) return undefined;
  }
}

function mayExist(path: string): boolean {
  const found = probe(() => lstatSync(path, { throwIfNoEntry: false }));
  return found.type === 'failed' ? found.code !== 'ENOTDIR' : found.value !== undefined;
}
