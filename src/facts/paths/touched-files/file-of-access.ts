/** Converts one file access of a command line to a file, with its locations from every possible working folder. */

import { posix } from 'node:path';
import { type PathLocation, locatePath } from '../resolve/path-location.ts';
import { quote } from '../resolve/path-refusal.ts';
import { enclosingWorktree } from './git-worktree.ts';
import type { TouchedFile } from './touched-files.ts';
import type { WorkingFolders } from './working-folders.ts';
import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import type { NameList } from '../../shell/words/word-choices.ts';

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
  readonly searched: ReadonlySet<string>;
  readonly why?: string | undefined;
}

/** For a destination, the file is the path itself, not what is created in it. */
export function fileOfAccess(access: FileAccess, folders: WorkingFolders): TouchedFile {
  const { mode, path, text, reach, pathEnd, implied = false, unnamed } = access;
  const base = {
    mode,
    label: quote(text),
    reach: destinationReach(reach),
    filters: access.filters,
    excludeOption: access.excludeOption,
    metadataOnly: access.metadataOnly,
    linkOnly: access.linkOnly,
    repeated: access.repeated,
    uncertain: access.uncertain,
    isLink: reach === 'link',
    pathEnd,
    unnamed,
    origin: implied ? 'implied' : 'line',
    sure: true,
  } as const;
  // The path is unknown: no fact about a specific file is true, and no inside-folder fact either.
  if (path === undefined) return { ...base, locations: [], sure: false, fromUnknown: access.fromUnknown };
  const locations = locationsOf(access, path, folders);
  if (typeof locations === 'string')
    return { ...base, locations: [], pathEnd: `/${path}`, sure: false, fromUnknown: locations };
  if (unnamed === 'worktree') return { ...base, locations: locations.map(enclosingWorktree) };
  return { ...base, locations: reach === 'path' ? locations.flatMap(withMissingFolders) : locations };
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
  { from, enteredBy, fromUnknown = 'the folder that the path starts from is unknown' }: FileAccess,
  path: string,
  folders: WorkingFolders,
): readonly PathLocation[] | string {
  const { start } = folders;
  if (path.startsWith('/') || path.startsWith('~') || isAtStart(from)) return [folders.disk.locate(path, start)];
  if (from === undefined) return fromUnknown;
  const found = folders.find(from, enteredBy);
  const unknown = found.find((folder) => folder.path === undefined);
  return unknown === undefined
    ? found.map((folder) => folders.disk.locate(`${folder.path}/${path}`, '/'))
    : unknown.why;
}

export function isAtStart(from: FileAccess['from']): boolean {
  return from?.length === 1 && from[0] === '';
}

/** A folder that is created, with its missing parents: `mkdir -p a/b/c`. */
function withMissingFolders(location: PathLocation): readonly PathLocation[] {
  const { checked } = location;
  if (checked === undefined || checked.identity !== undefined) return [location];
  const { path: start } = checked.ancestor;
  const missing = checked.path
    .slice(start === '/' ? 1 : start.length + 1)
    .split('/')
    .slice(0, -1);
  const parents = missing.map((_, index) => locatePath(posix.join(start, ...missing.slice(0, index + 1)), '/', true));
  return [...parents, location];
}
