/** Reads and writes the settings files of hosts as they are: links, permissions and bytes are kept. */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomicSync } from '../../files/atomic-write.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { Level } from '../settings/host-settings.ts';

export interface SettingsText {
  /** The target of the link, if the path is a link. */
  readonly path: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
}

/** Throws if the file cannot be read as UTF-8. */
export function readSettings(named: string): SettingsText {
  const path = realPath(named);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { path, text: undefined };
    throw new BridleError('OPTION_INVALID', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes))
    throw new BridleError('OPTION_INVALID', `${path} is not UTF-8 text: change it first`);
  return { path, text };
}

/** For a file that does not exist yet, the links of its folders are followed. A link to a missing file is replaced. */
function realPath(named: string): string {
  try {
    return realpathSync.native(named);
  } catch {
    return join(realFolder(dirname(named)), basename(named));
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new BridleError(
        'OPTION_INVALID',
        `${folder} is a link to a folder that does not exist: create the folder, or remove the link`,
        { cause: error },
      );
    return folder === dirname(folder) ? folder : join(realFolder(dirname(folder)), basename(folder));
  }
}

/** The folders on the way to a file that do not exist yet, the innermost first. */
export function missingFolders(path: string): readonly string[] {
  const folder = dirname(path);
  return existsSync(folder) || folder === path ? [] : [folder, ...missingFolders(folder)];
}

/** Removes folders that Bridle has created, if they are empty now. The innermost comes first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Something else is in it, or it is gone.
      return;
    }
  }
}

/** Throws if the file could not be written, before anything is changed. */
export function checkWritable(path: string): void {
  const place = existsSync(path) ? path : nearestFolder(path);
  try {
    accessSync(place, constants.W_OK);
    // A file is replaced by a rename, which needs its folder.
    if (place === path) accessSync(dirname(path), constants.W_OK);
    // Root may write read-only files, but their owner made them read-only for a reason.
    const isReadOnly = place === path && (statSync(path).mode & 0o222) === 0;
    if (isReadOnly) throw new BridleError('OPTION_INVALID', 'it is read-only');
  } catch (error) {
    throw new BridleError('OPTION_INVALID', `${path} cannot be written, so nothing was changed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function nearestFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || folder === path ? folder : nearestFolder(folder);
}

/** Keeps the permissions of an existing file. */
export function writeSettings(path: string, text: string, level: Level): void {
  const shared = level !== 'user';
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : shared ? 0o644 : 0o600;
  if (shared) makeSharedFolder(dirname(path));
  else mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileAtomicSync(path, text, mode);
}

/** Creates a folder that all users can read, for any umask. Folders that exist keep their permissions. */
export function makeSharedFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeSharedFolder(dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}
