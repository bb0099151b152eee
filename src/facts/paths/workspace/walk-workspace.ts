/** Walks a folder without leaving the workspaces (W08). */

import { lstatSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import type { CheckedPath } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import { pathError, openFolder } from './checked-folder.ts';
import type { Confinement } from './confine-to.ts';
import { probe } from '../resolve/path-refusal.ts';

export interface WalkEntry {
  /** Relative to the root, as reached: `src/main.ts`. */
  readonly name: string;
  /** Without links, if the entry was followed; check and open it like any other path. */
  readonly path: string;
  /** `refused`: a link that leads outside or nowhere, or a folder that cannot be read; see `reason`. */
  readonly type: 'file' | 'folder' | 'other' | 'refused';
  readonly reason?: string | undefined;
}

export interface WalkOptions {
  /** 1 lists only the root; unlimited by default. */
  readonly depth?: number | undefined;
}

interface PendingFolder {
  readonly name: string;
  readonly checked: CheckedPath;
  readonly depth: number;
}

/**
 * Yields the entries of a folder, then those of its subfolders. Follows a link only if its target is inside. Enters
 * each folder once, under any name, so loops end.
 */
export async function* walkWorkspace(
  root: string | CheckedPath,
  confinement: Confinement,
  options: WalkOptions = {},
): AsyncGenerator<WalkEntry, void, undefined> {
  const stops: PendingFolder[] = [{ name: '', checked: checkRoot(root, confinement), depth: 1 }];
  // Folders behind links come last, so that a folder below the root is entered by its own name.
  const behindLinks: PendingFolder[] = [];
  const entered = new Set<string>();
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop() ?? behindLinks.shift()) {
    if (!enterOnce(stop, entered)) continue;
    const listing = await listFolder(stop.checked);
    if (listing instanceof BridleError) {
      if (stop.name === '') throw listing;
      yield { name: stop.name, path: stop.checked.path, type: 'refused', reason: listing.message };
      continue;
    }
    const inner: PendingFolder[] = [];
    for (const dirent of listing) {
      const { entry, folder } = readEntry(stop, dirent, confinement);
      yield entry;
      if (folder !== undefined && stop.depth < (options.depth ?? Infinity)) {
        const next = { name: entry.name, checked: folder, depth: stop.depth + 1 };
        (dirent.isSymbolicLink() ? behindLinks : inner).push(next);
      }
    }
    for (const next of inner.toReversed()) stops.push(next);
  }
}

function checkRoot(root: string | CheckedPath, confinement: Confinement): CheckedPath {
  const check = confinement.check(typeof root === 'string' ? root : root.path);
  if (check.type !== 'inside') throw new BridleError('PATH_REFUSED', `The folder ${check.reason}.`);
  return typeof root === 'string' ? check.checked : root;
}

function enterOnce(stop: PendingFolder, entered: Set<string>): boolean {
  const { identity } = stop.checked;
  const key = `${identity?.device}:${identity?.inode}`;
  if (entered.has(key)) return false;
  entered.add(key);
  return true;
}

async function listFolder(checked: CheckedPath): Promise<readonly Dirent[] | BridleError> {
  try {
    const folder = await openFolder(checked);
    try {
      const entries = await readdir(folder.pathTo('.'), { withFileTypes: true });
      return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    } finally {
      await folder.close();
    }
  } catch (error) {
    return pathError(error, checked.path);
  }
}

interface EntryResult {
  readonly entry: WalkEntry;
  /** Set if the entry is a folder that may be entered. */
  readonly folder?: CheckedPath | undefined;
}

function readEntry(stop: PendingFolder, dirent: Dirent, confinement: Confinement): EntryResult {
  const name = posix.join(stop.name, dirent.name);
  const path = posix.join(stop.checked.path, dirent.name);
  if (dirent.isFile()) return { entry: { name, path, type: 'file' } };
  if (!dirent.isDirectory() && !dirent.isSymbolicLink()) return { entry: { name, path, type: 'other' } };
  const check = confinement.check(path);
  if (check.type !== 'inside') return { entry: { name, path, type: 'refused', reason: check.reason } };
  return readTarget(name, check.checked);
}

function readTarget(name: string, checked: CheckedPath): EntryResult {
  const { path } = checked;
  const stats = probe(() => lstatSync(path));
  if (stats.type === 'failed') return { entry: { name, path, type: 'refused', reason: `disappeared (${stats.code})` } };
  if (stats.value.isDirectory()) return { entry: { name, path, type: 'folder' }, folder: checked };
  return { entry: { name, path, type: stats.value.isFile() ? 'file' : 'other' } };
}
