/** Reads a folder for `bridle init`: only small regular files, without running anything or blocking. */

import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BridleError, messageOf } from '../../../kernel/errors.ts';

export interface FolderView {
  /** True if the path exists: a file, a folder, even a broken link. */
  has(path: string): boolean;
  /** The text of a file; undefined if it is not a regular file, is larger than 1 MiB, or cannot be read. */
  text(path: string): string | undefined;
  /** The names in the folder, or in one below it; none if it cannot be read. */
  names(below?: string): readonly string[];
  /** True if the folder, or one above it, is a git repository. */
  inGit(): boolean;
}

const maxBytes = 1024 * 1024;
const maxNames = 10_000;

export function viewFolder(folder: string): FolderView {
  const names = namesIn(folder);
  const known = new Set(names);
  return {
    has: (path) => (path.includes('/') ? existsSync(join(folder, path)) : known.has(path)),
    text: (path) => textOf(join(folder, path)),
    names: (below = '') => (below === '' ? names : namesBelow(join(folder, below))),
    inGit: () => isInGit(folder),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, maxNames).toSorted();
  } catch (error) {
    throw new BridleError('POLICY_FILE', `the folder cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, maxNames).toSorted();
  } catch {
    return [];
  }
}

/** A view of a subfolder. */
export function viewBelow(view: FolderView, folder: string): FolderView {
  return {
    has: (path) => view.has(`${folder}/${path}`),
    text: (path) => view.text(`${folder}/${path}`),
    names: (below = '') => view.names(below === '' ? folder : `${folder}/${below}`),
    inGit: () => view.inGit(),
  };
}

function textOf(path: string): string | undefined {
  let handle: number;
  try {
    // Non-blocking: the path may be a pipe without a writer.
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(handle);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(handle, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(handle);
  }
}

function isInGit(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const above = dirname(folder);
  return above !== folder && isInGit(above);
}
