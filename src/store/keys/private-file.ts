/** Files only their owner may read: made whole or not at all, and refused where others could have read or changed them. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { createFolderSync, createFileAtomicSync } from '../../files/atomic-write.ts';

const onWindows = process.platform === 'win32';

/** Makes a folder for the owner alone, if there is none. */
export function makePrivateFolder(folder: string): void {
  try {
    createFolderSync(folder);
  } catch (error) {
    throw keyError(`The folder of keys ${folder} cannot be made: ${messageOf(error)}.`, error);
  }
}

/** Refuses a folder that is missing, or where others could lay keys of theirs. */
export function checkPrivateFolder(folder: string): void {
  if (!existsSync(folder)) throw keyError(`There is no folder of keys ${folder}.`);
  refuseShared(folder, 'chmod 700');
}

/** The text of a file that only its owner can read; undefined if there is none. */
export function readPrivateFile(path: string): string | undefined {
  const text = readKeyFile(path);
  if (text !== undefined) refuseShared(path, 'chmod 600');
  return text;
}

/** The text of a file; undefined if there is none. */
export function readKeyFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw keyError(`The key ${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

/**
 * Makes a file for the owner alone, on the disk before it has its name. False if there is one with that name already:
 * of several processes that make the same key, one wins and all use what it made.
 */
export function makePrivateFile(path: string, text: string): boolean {
  try {
    return createFileAtomicSync(path, text);
  } catch (error) {
    throw keyError(`The key ${path} cannot be made: ${messageOf(error)}.`, error);
  }
}

export function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function refuseShared(path: string, command: string): void {
  if (onWindows) return;
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0) {
    throw keyError(`${path} can be read or changed by other users. Run: ${command} ${path}`);
  }
  const self = process.getuid?.();
  if (uid !== 0 && uid !== self) {
    throw keyError(`${path} belongs to another user (${uid}). Use keys of your own, or run: chown ${self} ${path}`);
  }
}

export function keyError(message: string, cause?: unknown): BridleError {
  return new BridleError('STORE_KEYS', message, cause === undefined ? {} : { cause });
}
