import { posix } from 'node:path';
import type { GlobState } from './glob-states.ts';
import { namedPath, type NamedPath } from './named-path.ts';
import type { RootedGlob } from './rooted-glob.ts';
import { mostEntries, type SeenFolder, type SeenPlaces } from './seen-places.ts';
import type { FolderChoice } from './tree-choice.ts';

/** A folder to look through, and how its path stands to the pattern. */
interface Waiting {
  readonly path: string;
  readonly exact: GlobState;
  /** Where upper and lower case are the same. */
  readonly loose: GlobState | undefined;
  /** Which entries count; undefined: all. */
  readonly choice: FolderChoice | undefined;
}

interface Look {
  readonly seen: SeenPlaces;
  /** Which entries of the folder count; undefined: all. */
  readonly choice?: FolderChoice | undefined;
}

/** Something may fit the pattern; `path` where it is known which. */
export interface HeldMatch {
  readonly path: string | undefined;
}

/** Undefined if nothing that stands below a folder now can fit the pattern. Links are looked at, not followed. */
export function holdsMatch(folder: NamedPath, pattern: RootedGlob, { seen, choice }: Look): HeldMatch | undefined {
  if (pattern.exact === undefined) return anywhere;
  const waiting: Waiting[] = [
    {
      path: folder.path,
      exact: pattern.exact.after(folder.names),
      loose: folder.ignoresCase() ? pattern.loose().after(folder.folded()) : undefined,
      choice,
    },
  ];
  let left = mostEntries;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const here = seen.folder(next.path);
    if (here === 'untold') return anywhere;
    left -= here.size;
    if (left < 0 || !seen.spend(here.size)) return anywhere;
    const current = next.path === folder.path ? next : { ...next, choice: next.choice?.below(next.path, here) };
    const fitting = anyFits(here, current, waiting) ?? anyLinkMayFit(here, current, { folder, pattern });
    if (fitting !== undefined) return { path: fitting };
  }
  return undefined;
}

const anywhere: HeldMatch = { path: undefined };

/** Puts the folders in which something may fit to those that wait. */
function anyFits(
  { names }: SeenFolder,
  { path, exact, loose, choice }: Waiting,
  waiting: Waiting[],
): string | undefined {
  for (const entry of names) {
    const plain = exact.next(entry.name);
    const folded = loose?.next(entry.folded());
    const fits = plain.fits || folded?.fits === true;
    const below = entry.isFolder && (plain.below || folded?.below === true);
    if ((!fits && !below) || choice?.takes(entry.name, entry.isFolder) === false) continue;
    // A folder that is only entered is not what a filter of names takes.
    if (fits && !(entry.isFolder && choice?.takes(entry.name, false) === false)) return posix.join(path, entry.name);
    if (!below) continue;
    waiting.push({ path: posix.join(path, entry.name), exact: plain, loose: folded, choice });
  }
  return undefined;
}

interface Asked {
  readonly folder: NamedPath;
  readonly pattern: RootedGlob;
}

function anyLinkMayFit({ links }: SeenFolder, { choice }: Waiting, { folder, pattern }: Asked): string | undefined {
  const counts = choice?.links ?? 'followed';
  if (counts === 'skipped') return undefined;
  return links.find(({ path, text, isFolder }) => {
    if (choice?.takes(posix.basename(text), isFolder) === false) return false;
    const isNamed = counts === 'named';
    const { fits, below } = pattern.match(namedPath(isNamed ? text : path, text, folder.ignoresCase));
    return fits !== false || (below && isFolder && !isNamed);
  })?.text;
}
