/** Finds out how a command line may change the folders that it enters (X08). */

import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import { fileOfAccess, isAtStart } from './file-of-access.ts';
import { WorkingFolders, noChanges, type FolderChange, type FolderChanges } from './working-folders.ts';
import { readNamePattern } from '../globs/name-pattern.ts';
import type { DiskCache } from '../disk/disk-cache.ts';
import { isFolder } from '../resolve/path-location.ts';

/**
 * The working folders of a line. Each is checked against everything that the line creates, moves and deletes, in any
 * order.
 */
export function workingFoldersOf(
  accesses: readonly FileAccess[],
  { start, hides, disk }: WorkingFolderOptions,
): WorkingFolders {
  const unchecked = new WorkingFolders(start, () => noChanges, disk);
  const changed = (): FolderChanges => {
    const changes = changesOf(accesses, unchecked);
    return hides ? { ...changes, first: 0 } : changes;
  };
  return new WorkingFolders(start, changed, disk);
}

interface WorkingFolderOptions {
  readonly start: string | undefined;
  /** True if the line may do more than it shows. */
  readonly hides: boolean;
  readonly disk?: DiskCache | undefined;
}

function changesOf(accesses: readonly FileAccess[], folders: WorkingFolders): FolderChanges {
  const known: FolderChange[] = [];
  const moving = new Set(accesses.filter(({ reach }) => reach === 'onto').map(({ order }) => order));
  let firstUnnamed = Infinity;
  let first = Infinity;
  for (const access of accesses) {
    const { mode, order = 0 } = access;
    if (mode === 'read') continue;
    first = Math.min(first, order);
    const changes = changesBy(access, folders);
    if (changes === undefined) firstUnnamed = Math.min(firstUnnamed, order);
    // A moved folder takes along the commands that run in it.
    else known.push(...(moving.has(order) ? changes.map((change) => ({ ...change, order: -1 })) : changes));
  }
  return { known, firstUnnamed, first };
}

/** Returns undefined if it may change anything. */
function changesBy(access: FileAccess, folders: WorkingFolders): readonly FolderChange[] | undefined {
  const { mode, path, from, reach, glob, implied = false, unnamed, order = 0 } = access;
  const isPlain = reach === 'itself' || reach === 'path';
  // What a program does by default is not visible, unless it is the purpose of the program.
  if (implied && (unnamed === undefined || unnamed === 'repository')) return [];
  // What an unknown program does with a word is not visible. A plain file or new folder is not a link.
  if (path === undefined && (mode === 'either' || isPlain)) return [];
  if (path === undefined && glob !== undefined) return changesByGlob(glob, access, folders);
  if (path === undefined) return undefined;
  if (from === undefined && !/^[/~]/.test(path)) return isPlain || mode === 'either' ? [] : undefined;
  return fileOfAccess(access, folders).locations.map((location) => {
    // A folder stays the same when plain files are copied into it.
    const isFilled = unnamed !== undefined || ((reach === 'into' || reach === 'sync') && isFolder(location));
    return { location, reach: isFilled ? 'inside' : isPlain ? 'itself' : 'tree', order };
  });
}

/** The entries of a folder that match a pattern. */
function changesByGlob(
  glob: string,
  { from, order = 0 }: FileAccess,
  folders: WorkingFolders,
): readonly FolderChange[] | undefined {
  const names = glob.split('/');
  const first = names.findIndex((name) => /[*?[\\]/.test(name));
  const pattern = readNamePattern(names[first] ?? '*');
  const folder = names.slice(0, Math.max(first, 0)).join('/');
  const path = folder === '' ? (glob.startsWith('/') ? '/' : '.') : folder;
  if ('problem' in pattern || (from === undefined && !glob.startsWith('/'))) return undefined;
  const locations =
    isAtStart(from) || glob.startsWith('/')
      ? [folders.disk.locate(path, folders.start)]
      : fileOfAccess({ mode: 'read', path, text: path, from }, folders).locations;
  return locations.map((location) => ({ location, reach: 'inside', pattern, order }));
}
