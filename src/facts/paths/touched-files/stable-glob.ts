/** Decides whether a glob will expand to the same names when the line runs as it does now. */

import { posix } from 'node:path';
import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import { isAtStart, locationsOf, type LineContext } from './file-of-access.ts';
import type { WorkingFolders } from './working-folders.ts';
import { readNamePattern } from '../globs/name-pattern.ts';
import type { PathLocation } from '../resolve/path-location.ts';

/** False if the line may add a matching name, or replace the folder that the glob searches. */
export function isStableGlob(access: FileAccess, { folders, accesses }: LineContext): boolean {
  const { glob, from } = access;
  if (glob === undefined || !(glob.startsWith('/') || isAtStart(from))) return false;
  const at = glob.lastIndexOf('/');
  const start = glob.slice(0, at + 1);
  const pattern = readNamePattern(glob.slice(at + 1));
  if (/[*?[\\]/u.test(start) || 'problem' in pattern) return false;
  const folder = folders.disk.locate(start, folders.start).checked?.path;
  if (folder === undefined) return false;
  const fits = (name: string): boolean => pattern.matches(name, true);
  return accesses.every((other) => isSamePattern(other, access) || leavesNamesAlone(other, { folders, folder, fits }));
}

/** The same pattern in an access that only changes existing files: `sed -i s/a/b/ *.ts` reads and writes them. */
export function isSamePattern(other: FileAccess, access: FileAccess): boolean {
  const isPlain = other.reach === 'itself' || other.reach === 'tree';
  return (
    other === access ||
    (isPlain && other.glob !== undefined && other.glob === access.glob && other.text === access.text)
  );
}

interface GlobFolder {
  readonly folders: WorkingFolders;
  /** The folder in which the glob is expanded. */
  readonly folder: string;
  readonly fits: (name: string) => boolean;
}

/** True if the access creates none of the names and does not replace their folder. */
function leavesNamesAlone(access: FileAccess, { folders, folder, fits }: GlobFolder): boolean {
  const { mode, path, reach, implied } = access;
  if (mode === 'read' || implied === true || (mode === 'write' && reach === 'tree')) return true;
  if (path === undefined) return false;
  const locations = locationsOf(access, path, folders);
  if (typeof locations === 'string') return false;
  return locations.every((written) =>
    isElsewhere(written, { folder, fits, isPlain: reach === 'itself' || reach === 'path' }),
  );
}

interface WrittenBeside {
  readonly folder: string;
  readonly fits: (name: string) => boolean;
  /** True if nothing is created below it. */
  readonly isPlain: boolean;
}

function isElsewhere({ checked }: PathLocation, { folder, fits, isPlain }: WrittenBeside): boolean {
  if (checked === undefined) return false;
  const { path, identity, ancestor } = checked;
  if (!isPlain && isAtOrBelow(folder, path)) return false;
  // The folder that the glob searches does not exist yet.
  if (identity === undefined && isAtOrBelow(folder, path)) return false;
  if (path === folder || !isAtOrBelow(path, folder)) return true;
  const name = path.slice(posix.join(folder, '/').length).split('/')[0] ?? '';
  const existing = identity === undefined ? ancestor.path : path;
  return isAtOrBelow(existing, posix.join(folder, name)) || !fits(name);
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(posix.join(folder, '/'));
}
