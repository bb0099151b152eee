/** Whether a pattern of file names means the same when it is expanded as it does now. */

import { posix } from 'node:path';
import type { FileAccess } from '../shell/command-analysis.ts';
import { isUnmoved, placesOf, type Line } from './files-of-access.ts';
import type { LineFolders } from './line-folders.ts';
import { readNamePattern } from './name-pattern.ts';
import type { TouchedPlace } from './touched-place.ts';

/** False if a word of the line may add a name that fits, or put another folder in the place of the pattern's. */
export function isSettledIn(access: FileAccess, { folders, accesses }: Line): boolean {
  const { glob, from } = access;
  if (glob === undefined || !(glob.startsWith('/') || isUnmoved(from))) return false;
  const at = glob.lastIndexOf('/');
  const start = glob.slice(0, at + 1);
  const pattern = readNamePattern(glob.slice(at + 1));
  if (/[*?[\\]/u.test(start) || 'problem' in pattern) return false;
  const place = folders.seen.place(start, folders.start).checked?.path;
  if (place === undefined) return false;
  const fits = (name: string): boolean => pattern.matches(name, true);
  return accesses.every((other) => isSame(other, access) || isApart(other, { folders, place, fits }));
}

/** The same pattern, of which only files that are there are changed: `sed -i s/a/b/ *.ts` reads and writes them. */
export function isSame(other: FileAccess, access: FileAccess): boolean {
  const isPlain = other.reach === 'itself' || other.reach === 'tree';
  return (
    other === access ||
    (isPlain && other.glob !== undefined && other.glob === access.glob && other.text === access.text)
  );
}

interface Expanded {
  readonly folders: LineFolders;
  /** Where the pattern looks for names. */
  readonly place: string;
  readonly fits: (name: string) => boolean;
}

/** True if what an access makes is none of the names, and neither their folder. */
function isApart(access: FileAccess, { folders, place, fits }: Expanded): boolean {
  const { mode, path, reach, implied } = access;
  if (mode === 'read' || implied === true || (mode === 'write' && reach === 'tree')) return true;
  if (path === undefined) return false;
  const places = placesOf(access, path, folders);
  if (typeof places === 'string') return false;
  return places.every((written) =>
    isApartFrom(written, { place, fits, isPlain: reach === 'itself' || reach === 'path' }),
  );
}

interface Beside {
  readonly place: string;
  readonly fits: (name: string) => boolean;
  /** True: nothing is made below it. */
  readonly isPlain: boolean;
}

function isApartFrom({ checked }: TouchedPlace, { place, fits, isPlain }: Beside): boolean {
  if (checked === undefined) return false;
  const { path, identity, ancestor } = checked;
  if (!isPlain && isAtOrBelow(place, path)) return false;
  // A folder that the pattern looks in, and that is not there yet.
  if (identity === undefined && isAtOrBelow(place, path)) return false;
  if (path === place || !isAtOrBelow(path, place)) return true;
  const name = path.slice(posix.join(place, '/').length).split('/')[0] ?? '';
  const there = identity === undefined ? ancestor.path : path;
  return isAtOrBelow(there, posix.join(place, name)) || !fits(name);
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(posix.join(folder, '/'));
}
