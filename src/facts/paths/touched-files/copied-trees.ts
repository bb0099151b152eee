/** Checks what a destination contains after trees are copied or moved there. */

import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import { isLink } from './destination-files.ts';
import type { TouchedFile } from './touched-files.ts';
import type { GlobState } from '../globs/glob-automaton.ts';
import { diskCosts } from '../disk/disk-budget.ts';
import { foldCase } from '../globs/name-pattern.ts';
import type { SplitPath } from '../globs/split-path.ts';
import { probe } from '../resolve/path-refusal.ts';
import type { RootedGlob } from '../globs/rooted-glob.ts';
import { maxEntries, type FolderListing, type DiskCache } from '../disk/disk-cache.ts';
import { isFolder, isRegularFile, type PathLocation } from '../resolve/path-location.ts';

interface Destination {
  readonly to: SplitPath;
  readonly pattern: RootedGlob;
  readonly disk: DiskCache;
  /** True if links are copied as links. */
  readonly keepsLinks: boolean;
}

/** False if nothing that the copies create below the destination can match the pattern. */
export function copiesContainMatch(copies: readonly PathLocation[], destination: Destination): boolean {
  const { to, pattern, disk, keepsLinks } = destination;
  const { exact } = pattern;
  if (exact === undefined) return true;
  const start: MatchStates = {
    exact: exact.stateAfter(to.names),
    loose: to.ignoresCase() ? pattern.loose().stateAfter(to.folded()) : undefined,
  };
  return copies.some((copy) => copyMayMatch(copy, to.path, { disk, states: start, keepsLinks }));
}

/** False if no link exists where one of the copies is written. */
export function copiesMayFollowLink(
  { copies = [], keepsLinks }: Copies,
  { checked }: PathLocation,
  disk: DiskCache,
): boolean {
  if (checked === undefined) return true;
  return copies.some((copy) => copyMayMatch(copy, checked.path, { disk, states: undefined, keepsLinks }));
}

type Copies = Pick<TouchedFile, 'copies' | 'keepsLinks'>;

/** False if no copy is a link or contains one. */
export function copiesContainLink(copies: readonly PathLocation[], disk: DiskCache): boolean {
  return copies.some((copy) => copyMayMatch(copy, undefined, { disk, states: undefined }));
}

/** False if no link exists below a folder: writes in it then stay in it. */
export function folderContainsLink(location: PathLocation, disk: DiskCache): boolean {
  return (
    isFolder(location) &&
    copyMayMatch({ ...location, text: location.checked?.path ?? '' }, undefined, { disk, states: undefined })
  );
}

/** How the path of a folder matches a pattern so far; `loose` for case-insensitive file systems. */
interface MatchStates {
  readonly exact: GlobState;
  readonly loose: GlobState | undefined;
}

interface Search {
  readonly disk: DiskCache;
  /** Undefined: searches for links only. */
  readonly states: MatchStates | undefined;
  /** True if a link is copied as a link, so that only its name counts. */
  readonly keepsLinks?: boolean | undefined;
}

interface PendingCopy {
  readonly from: string;
  /** The destination; undefined if that folder does not exist yet. */
  readonly to: string | undefined;
  readonly states: MatchStates | undefined;
}

/** For most programs it is unknown whether they copy a link as a link or its target. */
function copyMayMatch(copy: PathLocation, to: string | undefined, { disk, states, keepsLinks }: Search): boolean {
  const { checked } = copy;
  if (checked === undefined || isLink(copy)) return true;
  if (checked.identity === undefined || isRegularFile(copy)) return false;
  if (!isFolder(copy)) return true;
  const pending: PendingCopy[] = [{ from: checked.path, to, states }];
  let remaining = maxEntries;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const source = disk.listFolder(next.from);
    if (source === 'unreadable' || (keepsLinks === true ? anyLinkMatches(source, next) : source.links.length > 0))
      return true;
    const existing = next.to === undefined ? undefined : listExisting(next.to, disk);
    if (existing === 'unreadable' || (existing !== undefined && existing.links.length > 0)) return true;
    remaining -= source.size;
    if (
      remaining < 0 ||
      !disk.spend(source.size + diskCosts.call) ||
      anyEntryMatches(source, { next, existing, pending })
    )
      return true;
  }
  return false;
}

function anyLinkMatches({ links }: FolderListing, { states }: PendingCopy): boolean {
  return links.some(({ text }) => {
    const name = posix.basename(text);
    return states?.exact.next(name).fits === true || states?.loose?.next(foldCase(name)).fits === true;
  });
}

/**
 * Returns undefined if nothing exists there, or a file. Returns `unreadable` for a link, or a folder that cannot be
 * read.
 */
function listExisting(path: string, disk: DiskCache): FolderListing | 'unreadable' | undefined {
  const found = probe(() => lstatSync(path, { throwIfNoEntry: false }));
  if (found.type === 'failed' || found.value?.isSymbolicLink() === true) return 'unreadable';
  return found.value?.isDirectory() === true ? disk.listFolder(path) : undefined;
}

interface Step {
  readonly next: PendingCopy;
  readonly existing: FolderListing | undefined;
  readonly pending: PendingCopy[];
}

/** Queues the folders of the source. */
function anyEntryMatches({ names }: FolderListing, { next, existing, pending }: Step): boolean {
  for (const entry of names) {
    const states = next.states && {
      exact: next.states.exact.next(entry.name),
      loose: next.states.loose?.next(entry.folded()),
    };
    if (states?.exact.fits === true || states?.loose?.fits === true) return true;
    if (!entry.isFolder) continue;
    const to = existing === undefined || next.to === undefined ? undefined : posix.join(next.to, entry.name);
    pending.push({ from: posix.join(next.from, entry.name), to, states });
  }
  return false;
}
