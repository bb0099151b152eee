/** Reads and writes the settings files of hosts as they are: links, permissions and bytes are kept. */

import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
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

/** A link to a file that does not exist yet leads to the file that will be written. */
function realPath(named: string): string {
  try {
    return realpathSync.native(named);
  } catch {
    return named;
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
