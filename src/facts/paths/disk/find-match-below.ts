import { posix } from 'node:path';
import type { GlobState } from '../globs/glob-automaton.ts';
import { splitPath, type SplitPath } from '../globs/split-path.ts';
import type { RootedGlob } from '../globs/rooted-glob.ts';
import { maxEntries, type FolderListing, type DiskCache } from './disk-cache.ts';
import type { FolderFilter } from './folder-filter.ts';

/** A folder still to be searched, and how its path matches the pattern so far. */
interface PendingFolder {
  readonly path: string;
  readonly exact: GlobState;
  /** The state for case-insensitive file systems. */
  readonly loose: GlobState | undefined;
  /** Which entries count; undefined: all. */
  readonly filter: FolderFilter | undefined;
}

interface SearchOptions {
  readonly disk: DiskCache;
  /** Which entries of the folder count; undefined: all. */
  readonly filter?: FolderFilter | undefined;
}

/** Something may match the pattern; `path` is set if it is known what. */
export interface PossibleMatch {
  readonly path: string | undefined;
}

/** Finds an existing entry below a folder that may match the pattern. It looks at links, but does not follow them. */
export function findMatchBelow(
  folder: SplitPath,
  pattern: RootedGlob,
  { disk, filter }: SearchOptions,
): PossibleMatch | undefined {
  if (pattern.exact === undefined) return unknownMatch;
  const pending: PendingFolder[] = [
    {
      path: folder.path,
      exact: pattern.exact.stateAfter(folder.names),
      loose: folder.ignoresCase() ? pattern.loose().stateAfter(folder.folded()) : undefined,
      filter,
    },
  ];
  let remaining = maxEntries;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const here = disk.listFolder(next.path);
    if (here === 'unreadable') return unknownMatch;
    remaining -= here.size;
    if (remaining < 0 || !disk.spend(here.size)) return unknownMatch;
    const current = next.path === folder.path ? next : { ...next, filter: next.filter?.below(next.path, here) };
    const fitting = findFittingEntry(here, current, pending) ?? findFittingLink(here, current, { folder, pattern });
    if (fitting !== undefined) return { path: fitting };
  }
  return undefined;
}

const unknownMatch: PossibleMatch = { path: undefined };

/** Queues the folders that may contain a match. */
function findFittingEntry(
  { names }: FolderListing,
  { path, exact, loose, filter }: PendingFolder,
  pending: PendingFolder[],
): string | undefined {
  for (const entry of names) {
    const plain = exact.next(entry.name);
    const folded = loose?.next(entry.folded());
    const fits = plain.fits || folded?.fits === true;
    const below = entry.isFolder && (plain.mayFitBelow || folded?.mayFitBelow === true);
    if ((!fits && !below) || filter?.includes(entry.name, entry.isFolder) === false) continue;
    // A name filter does not apply to a folder that is only entered.
    if (fits && !(entry.isFolder && filter?.includes(entry.name, false) === false)) return posix.join(path, entry.name);
    if (!below) continue;
    pending.push({ path: posix.join(path, entry.name), exact: plain, loose: folded, filter });
  }
  return undefined;
}

interface SearchedGlob {
  readonly folder: SplitPath;
  readonly pattern: RootedGlob;
}

function findFittingLink(
  { links }: FolderListing,
  { filter }: PendingFolder,
  { folder, pattern }: SearchedGlob,
): string | undefined {
  const counts = filter?.links ?? 'followed';
  if (counts === 'skipped') return undefined;
  return links.find(({ path, text, isFolder }) => {
    if (filter?.includes(posix.basename(text), isFolder) === false) return false;
    const isNamed = counts === 'named';
    const { fits, mayFitBelow } = pattern.match(splitPath(isNamed ? text : path, text, folder.ignoresCase));
    return fits !== false || (mayFitBelow && isFolder && !isNamed);
  })?.text;
}
