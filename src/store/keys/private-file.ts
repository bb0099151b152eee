/** Files that only their owner may read: created atomically, and refused if other users could read or change them. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { createFolderSync, createFileAtomicSync } from '../../files/atomic-write.ts';

const onWindows = process.platform === 'win32';

/** Creates a folder that only its owner can access, unless it exists. */
export function makePrivateFolder(folder: string): void {
  try {
    createFolderSync(folder);
  } catch (error) {
    throw keyError(`The key folder ${folder} cannot be created: ${messageOf(error)}.`, error);
  }
}

/** Refuses a folder that is missing, or in which other users could place keys. */
export function checkPrivateFolder(folder: string): void {
  if (!existsSync(folder)) throw keyError(`The key folder ${folder} does not exist.`);
  refuseShared(folder, 'chmod 700');
}

/** The text of a file that only its owner can read; undefined if it does not exist. */
export function readPrivateFile(path: string): string | undefined {
  const text = readKeyFile(path);
  if (text !== undefined) refuseShared(path, 'chmod 600');
  return text;
}

/** The text of a file; undefined if it does not exist. */
export function readKeyFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw keyError(`The key ${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

/**
 * Creates a file that only its owner can read, synced to disk before it gets its name. False if the name exists
 * already: if several processes create the same key, one wins and all use its key.
 */
export function makePrivateFile(path: string, text: string): boolean {
  try {
    return createFileAtomicSync(path, text);
  } catch (error) {
    throw keyError(`The key ${path} cannot be created: ${messageOf(error)}.`, error);
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
    throw keyError(`${path} belongs to another user (${uid}). Use your own keys, or run: chown ${self} ${path}`);
  }
}

export function keyError(message: string, cause?: unknown): BridleError {
  return new BridleError('STORE_KEYS', message, cause === undefined ? {} : { cause });
}
