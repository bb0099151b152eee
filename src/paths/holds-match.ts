import { posix } from 'node:path';
import type { GlobState } from './glob-states.ts';
import { namedPath, type NamedPath } from './named-path.ts';
import type { RootedGlob } from './rooted-glob.ts';
import { mostEntries, type SeenFolder, type SeenPlaces } from './seen-places.ts';

/** A folder to look through, and how its path stands to the pattern. */
interface Waiting {
  readonly path: string;
  readonly exact: GlobState;
  /** Where upper and lower case are the same. */
  readonly loose: GlobState | undefined;
}

/** False if nothing that stands below a folder now can fit the pattern. Links are looked at, not followed. */
export function holdsMatch(folder: NamedPath, pattern: RootedGlob, seen: SeenPlaces): boolean {
  if (pattern.exact === undefined) return true;
  const waiting: Waiting[] = [
    {
      path: folder.path,
      exact: pattern.exact.after(folder.names),
      loose: folder.ignoresCase() ? pattern.loose().after(folder.folded()) : undefined,
    },
  ];
  let left = mostEntries;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const here = seen.folder(next.path);
    if (here === 'untold') return true;
    left -= here.size;
    if (left < 0 || anyFits(here, next, waiting) || anyLinkMayFit(here, folder, pattern)) return true;
  }
  return false;
}

/** Puts the folders in which something may fit to those that wait. */
function anyFits({ names }: SeenFolder, { path, exact, loose }: Waiting, waiting: Waiting[]): boolean {
  for (const entry of names) {
    const plain = exact.next(entry.name);
    const folded = loose?.next(entry.folded());
    if (plain.fits || folded?.fits === true) return true;
    if (entry.isFolder && (plain.below || folded?.below === true))
      waiting.push({ path: posix.join(path, entry.name), exact: plain, loose: folded });
  }
  return false;
}

function anyLinkMayFit({ links }: SeenFolder, { ignoresCase }: NamedPath, pattern: RootedGlob): boolean {
  return links.some(({ path, text, isFolder }) => {
    const { fits, below } = pattern.match(namedPath(path, text, ignoresCase));
    return fits !== false || (below && isFolder);
  });
}
