import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import { probe } from '../resolve/path-refusal.ts';
import { locatePath, type PathLocation } from '../resolve/path-location.ts';

/** The git worktree that contains a folder; the folder itself if there is none. */
export function enclosingWorktree(location: PathLocation): PathLocation {
  const start = location.checked?.path;
  if (start === undefined) return location;
  for (let folder = start; ; folder = posix.dirname(folder)) {
    const found = probe(() => lstatSync(posix.join(folder, '.git'), { throwIfNoEntry: false }));
    if (found.type === 'found' && found.value !== undefined)
      return folder === start ? location : locatePath(folder, '/');
    if (folder === posix.dirname(folder)) return location;
  }
}

/** True if git would find another repository from one of these locations than from the folder. */
export function isOtherRepository(locations: readonly PathLocation[], folder: string | undefined): boolean {
  const folderPath = folder === undefined ? undefined : locatePath(folder, '/').checked?.path;
  if (folderPath === undefined) return true;
  const ownRepository = enclosingRepository(folderPath);
  // What does not exist yet may become a repository.
  return locations.some(
    ({ checked }) => checked?.identity === undefined || enclosingRepository(checked.path) !== ownRepository,
  );
}

/** Searches upwards, as git does, for a folder that contains `.git` or is a repository itself. */
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
