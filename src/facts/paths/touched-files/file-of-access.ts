/** One access of a command line as a file: where it may lead, from every folder that the line may be in. */

import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import type { NameList } from '../../shell/words/word-choices.ts';
import type { TouchedFile } from './touched-files.ts';
import type { WorkingFolders } from './working-folders.ts';
import { withMissingFolders } from './missing-folders.ts';
import { quote } from '../resolve/quote.ts';
import type { PathLocation } from '../resolve/path-location.ts';
import { enclosingWorktree } from './git-worktree.ts';

/** The folders of a line, and all that it touches. */
export interface LineContext {
  readonly folders: WorkingFolders;
  readonly accesses: readonly FileAccess[];
  /** True: the line may change what `.gitignore` and the like say. */
  readonly changesIgnored: () => boolean;
  /** What its lists of names stand for. */
  readonly lookup: () => NameFinder;
}

/** Finds the names that lists stand for. */
export interface NameFinder {
  readonly folders: WorkingFolders;
  find(list: NameList): ListedNames;
}

export interface ListedNames {
  /** Undefined if they were not looked up: `why` says so. */
  readonly names: readonly string[] | undefined;
  /** The folders that were looked through, by their real paths. */
  readonly looked: ReadonlySet<string>;
  readonly why?: string | undefined;
}

/** A destination is what its path names, not what is made in it. */
export function fileOfAccess(access: FileAccess, folders: WorkingFolders): TouchedFile {
  const { mode, path, text, reach, pathEnd: ends, implied = false, unnamed } = access;
  const base = {
    mode,
    shown: quote(text),
    reach: destinationReach(reach),
    filters: access.filters,
    excluding: access.excludeOption,
    looked: access.metadataOnly,
    linked: access.linkOnly,
    again: access.repeated,
    guessed: access.uncertain,
    isLink: reach === 'link',
    ends,
    unnamed,
    origin: implied ? 'implied' : 'line',
    sure: true,
  } as const;
  // Anywhere: no fact about a certain file, but no call that stays inside a folder either.
  if (path === undefined) return { ...base, places: [], sure: false, lost: access.fromUnknown };
  const places = locationsOf(access, path, folders);
  if (typeof places === 'string') return { ...base, places: [], ends: `/${path}`, sure: false, lost: places };
  if (unnamed === 'worktree') return { ...base, places: places.map(enclosingWorktree) };
  return { ...base, places: reach === 'path' ? places.flatMap(withMissingFolders) : places };
}

export function isDestination(reach: FileAccess['reach']): boolean {
  return reach === 'into' || reach === 'onto' || reach === 'sync' || reach === 'link';
}

/** How far a destination reaches, of what is known to come to stand there. */
function destinationReach(reach: FileAccess['reach']): TouchedFile['reach'] {
  if (reach === 'into' || reach === 'link' || reach === 'path') return 'itself';
  return reach === 'onto' || reach === 'sync' ? undefined : reach;
}

/** A text says why nobody knows where it starts. */
export function locationsOf(
  { from, enteredBy: entered, fromUnknown: lost = 'it is not known where the path starts' }: FileAccess,
  path: string,
  folders: WorkingFolders,
): readonly PathLocation[] | string {
  const { start } = folders;
  if (path.startsWith('/') || path.startsWith('~') || isAtStart(from)) return [folders.seen.locate(path, start)];
  if (from === undefined) return lost;
  const found = folders.find(from, entered);
  const unknown = found.find((folder) => folder.path === undefined);
  return unknown === undefined
    ? found.map((folder) => folders.seen.locate(`${folder.path}/${path}`, '/'))
    : unknown.why;
}

export function isAtStart(from: FileAccess['from']): boolean {
  return from?.length === 1 && from[0] === '';
}
