/** A folder as `bridle init` looks at it: small regular files, read once, nothing run and nothing waited for. */

import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BridleError, messageOf } from '../../../kernel/errors.ts';

export interface FolderView {
  /** True if something is there: a file, a folder, even a link that leads nowhere. */
  has(path: string): boolean;
  /** What a file holds; undefined if it is no regular file, larger than a mebibyte, or cannot be read. */
  text(path: string): string | undefined;
  /** The names in the folder itself, or in one below it; none if that cannot be read. */
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
    throw new BridleError('POLICY_FILE', `the folder cannot be looked at: ${messageOf(error)}`, { cause: error });
  }
}

function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, maxNames).toSorted();
  } catch {
    return [];
  }
}

/** A folder below, looked at as if it were the folder itself. */
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
    // Without waiting: the name may belong to a pipe that nobody writes to.
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
