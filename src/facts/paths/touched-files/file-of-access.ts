/** Converts one file access of a command line to a file, with its locations from every possible working folder. */

import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import type { NameList } from '../../shell/words/word-choices.ts';
import type { TouchedFile } from './touched-files.ts';
import type { WorkingFolders } from './working-folders.ts';
import { withMissingFolders } from './missing-folders.ts';
import { quote } from '../resolve/quote.ts';
import type { PathLocation } from '../resolve/path-location.ts';
import { enclosingWorktree } from './git-worktree.ts';

/** The working folders of a line, and everything it touches. */
export interface LineContext {
  readonly folders: WorkingFolders;
  readonly accesses: readonly FileAccess[];
  /** True if the line may change `.gitignore` or a similar file. */
  readonly changesIgnored: () => boolean;
  /** Looks up its lists of names. */
  readonly lookup: () => NameFinder;
}

/** Looks up the names in a list. */
export interface NameFinder {
  readonly folders: WorkingFolders;
  find(list: NameList): ListedNames;
}

export interface ListedNames {
  /** Undefined if they were not looked up; `why` then gives the reason. */
  readonly names: readonly string[] | undefined;
  /** The real paths of the searched folders. */
  readonly looked: ReadonlySet<string>;
  readonly why?: string | undefined;
}

/** For a destination, the file is the path itself, not what is created in it. */
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
  // Anywhere: makes no fact about a certain file true, but no call stays inside a folder either.
  if (path === undefined) return { ...base, places: [], sure: false, lost: access.fromUnknown };
  const places = locationsOf(access, path, folders);
  if (typeof places === 'string') return { ...base, places: [], ends: `/${path}`, sure: false, lost: places };
  if (unnamed === 'worktree') return { ...base, places: places.map(enclosingWorktree) };
  return { ...base, places: reach === 'path' ? places.flatMap(withMissingFolders) : places };
}

export function isDestination(reach: FileAccess['reach']): boolean {
  return reach === 'into' || reach === 'onto' || reach === 'sync' || reach === 'link';
}

/** The reach of a destination whose new files are known. */
function destinationReach(reach: FileAccess['reach']): TouchedFile['reach'] {
  if (reach === 'into' || reach === 'link' || reach === 'path') return 'itself';
  return reach === 'onto' || reach === 'sync' ? undefined : reach;
}

/** Returns a text if the start of the path is unknown: the reason. */
export function locationsOf(
  { from, enteredBy: entered, fromUnknown: lost = 'the folder that the path starts from is unknown' }: FileAccess,
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
