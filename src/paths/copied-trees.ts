/** What comes to stand at a destination when trees are copied or moved there. */

import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import { isLink } from './destination-files.ts';
import type { TouchedFile } from './found-files.ts';
import type { GlobState } from './glob-states.ts';
import { costs } from './look-budget.ts';
import { fold } from './name-pattern.ts';
import type { NamedPath } from './named-path.ts';
import { probe } from './refusal.ts';
import type { RootedGlob } from './rooted-glob.ts';
import { mostEntries, type SeenFolder, type SeenPlaces } from './seen-places.ts';
import { isFolder, isPlainFile, type TouchedPlace } from './touched-place.ts';

interface Destination {
  readonly to: NamedPath;
  readonly pattern: RootedGlob;
  readonly seen: SeenPlaces;
  /** True: links are copied as links. */
  readonly keepsLinks: boolean;
}

/** False if nothing that the copies would make below the destination can fit the pattern. */
export function copiesHoldMatch(copies: readonly TouchedPlace[], destination: Destination): boolean {
  const { to, pattern, seen, keepsLinks } = destination;
  const { exact } = pattern;
  if (exact === undefined) return true;
  const start: States = {
    exact: exact.after(to.names),
    loose: to.ignoresCase() ? pattern.loose().after(to.folded()) : undefined,
  };
  return copies.some((copy) => copyHits(copy, to.path, { seen, states: start, keepsLinks }));
}

/** False if no link stands where one of the copies would be written. */
export function copiesMeetLink(
  { copies = [], keepsLinks }: Copies,
  { checked }: TouchedPlace,
  seen: SeenPlaces,
): boolean {
  if (checked === undefined) return true;
  return copies.some((copy) => copyHits(copy, checked.path, { seen, states: undefined, keepsLinks }));
}

type Copies = Pick<TouchedFile, 'copies' | 'keepsLinks'>;

/** False if none of the copies is a link, or holds one. */
export function copiesHoldLink(copies: readonly TouchedPlace[], seen: SeenPlaces): boolean {
  return copies.some((copy) => copyHits(copy, undefined, { seen, states: undefined }));
}

/** False if no link stands below a folder: whatever is written there stays there. */
export function folderHoldsLink(place: TouchedPlace, seen: SeenPlaces): boolean {
  return (
    isFolder(place) && copyHits({ ...place, text: place.checked?.path ?? '' }, undefined, { seen, states: undefined })
  );
}

/** How the path of a folder stands to a pattern, also where upper and lower case are the same. */
interface States {
  readonly exact: GlobState;
  readonly loose: GlobState | undefined;
}

interface Search {
  readonly seen: SeenPlaces;
  /** Undefined: only links are looked for. */
  readonly states: States | undefined;
  /** True: a link is copied as one, so that only its name counts. */
  readonly keepsLinks?: boolean | undefined;
}

interface Waiting {
  readonly from: string;
  /** Where it is copied to; undefined if there is no such folder yet. */
  readonly to: string | undefined;
  readonly states: States | undefined;
}

/** A link is copied as one, or with what it leads to: for most programs nobody knows. */
function copyHits(copy: TouchedPlace, to: string | undefined, { seen, states, keepsLinks }: Search): boolean {
  const { checked } = copy;
  if (checked === undefined || isLink(copy)) return true;
  if (checked.identity === undefined || isPlainFile(copy)) return false;
  if (!isFolder(copy)) return true;
  const waiting: Waiting[] = [{ from: checked.path, to, states }];
  let left = mostEntries;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const source = seen.folder(next.from);
    if (source === 'untold' || (keepsLinks === true ? anyLinkFits(source, next) : source.links.length > 0)) return true;
    const there = next.to === undefined ? undefined : existing(next.to, seen);
    if (there === 'untold' || (there !== undefined && there.links.length > 0)) return true;
    left -= source.size;
    if (left < 0 || !seen.spend(source.size + costs.call) || anyHits(source, { next, there, waiting })) return true;
  }
  return false;
}

function anyLinkFits({ links }: SeenFolder, { states }: Waiting): boolean {
  return links.some(({ text }) => {
    const name = posix.basename(text);
    return states?.exact.next(name).fits === true || states?.loose?.next(fold(name)).fits === true;
  });
}

/** Undefined: nothing stands there, or a file. `untold`: a link, or a folder that cannot be looked through. */
function existing(path: string, seen: SeenPlaces): SeenFolder | 'untold' | undefined {
  const found = probe(() => lstatSync(path, { throwIfNoEntry: false }));
  if (found.type === 'failed' || found.value?.isSymbolicLink() === true) return 'untold';
  return found.value?.isDirectory() === true ? seen.folder(path) : undefined;
}

interface Step {
  readonly next: Waiting;
  readonly there: SeenFolder | undefined;
  readonly waiting: Waiting[];
}

/** Puts the folders of the source to those that wait. */
function anyHits({ names }: SeenFolder, { next, there, waiting }: Step): boolean {
  for (const entry of names) {
    const states = next.states && {
      exact: next.states.exact.next(entry.name),
      loose: next.states.loose?.next(entry.folded()),
    };
    if (states?.exact.fits === true || states?.loose?.fits === true) return true;
    if (!entry.isFolder) continue;
    const to = there === undefined || next.to === undefined ? undefined : posix.join(next.to, entry.name);
    waiting.push({ from: posix.join(next.from, entry.name), to, states });
  }
  return false;
}
