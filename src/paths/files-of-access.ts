/** One access of a command line as files: where it may lead, from every folder that the line may be in. */

import type { FileAccess } from '../shell/command-analysis.ts';
import type { TouchedFile } from './found-files.ts';
import type { LineFolders } from './line-folders.ts';
import { quote } from './quote.ts';
import { isFolder, touchedPlace, type TouchedPlace } from './touched-place.ts';
import { worktreeAround } from './worktree-around.ts';

export function filesOfAccess(access: FileAccess, folders: LineFolders): readonly TouchedFile[] {
  const { mode, path, text, reach, names = [], ends, implied = false, unnamed } = access;
  const isDestination = reach === 'into' || reach === 'onto';
  const made = isDestination ? (reach === 'into' ? 'itself' : undefined) : reach;
  const moved = reach === 'onto' && names.length > 0 ? names : undefined;
  const base = {
    mode,
    shown: quote(text),
    reach: made,
    moved,
    ends,
    unnamed,
    origin: implied ? 'implied' : 'line',
    sure: true,
  } as const;
  // Anywhere: no fact about a certain file, but no call that stays inside a folder either.
  if (path === undefined) return [{ ...base, places: [], sure: false, lost: access.lost }];
  const places = placesOf(access, path, folders);
  if (typeof places === 'string') return [{ ...base, places: [], ends: `/${path}`, sure: false, lost: places }];
  if (unnamed === 'worktree') return [{ ...base, places: places.map(worktreeAround) }];
  if ((names.length === 0 && !isDestination) || !places.some(isFolder)) return [{ ...base, places }];
  if (names.length === 0) return [{ ...base, reach: undefined, places }];
  return names.map((name) => ({
    ...base,
    moved: moved && [name],
    places: places.map((place) =>
      isFolder(place) ? touchedPlace(`${place.text}/${name}`, folders.start, true) : place,
    ),
  }));
}

/** A text says why nobody knows where it starts. */
function placesOf(
  { from, entered, lost = 'it is not known where the path starts' }: FileAccess,
  path: string,
  folders: LineFolders,
): readonly TouchedPlace[] | string {
  const { start } = folders;
  if (path.startsWith('/') || path.startsWith('~') || isUnmoved(from)) return [touchedPlace(path, start, true)];
  if (from === undefined) return lost;
  const found = folders.find(from, entered);
  const unknown = found.find((folder) => folder.path === undefined);
  return unknown === undefined ? found.map((folder) => touchedPlace(`${folder.path}/${path}`, '/', true)) : unknown.why;
}

export function isUnmoved(from: FileAccess['from']): boolean {
  return from?.length === 1 && from[0] === '';
}
