/** Files only their owner may read: made whole or not at all, and refused where others could have read or changed them. */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { BridleError, messageOf } from '../../errors.ts';

const onWindows = process.platform === 'win32';

/** Makes a folder for the owner alone, if there is none. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(`The folder of keys ${folder} cannot be made: ${messageOf(error)}.`, error);
  }
}

/** Refuses a folder that is missing, or where others could lay keys of theirs. */
export function checkPrivateFolder(folder: string): void {
  if (!existsSync(folder)) throw unusable(`There is no folder of keys ${folder}.`);
  refuseOpen(folder, 'chmod 700');
}

/** The text of a file that only its owner can read; undefined if there is none. */
export function readPrivateFile(path: string): string | undefined {
  const text = readKeyFile(path);
  if (text !== undefined) refuseOpen(path, 'chmod 600');
  return text;
}

/** The text of a file; undefined if there is none. */
export function readKeyFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unusable(`The key ${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

/**
 * Makes a file for the owner alone, on the disk before it has its name. False if there is one with that name already:
 * of several processes that make the same key, one wins and all use what it made.
 */
export function makePrivateFile(path: string, text: string): boolean {
  const unnamed = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    writeSynced(unnamed, text);
    linkSync(unnamed, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return false;
    throw unusable(`The key ${path} cannot be made: ${messageOf(error)}.`, error);
  } finally {
    rmSync(unnamed, { force: true });
  }
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A new name is on the disk once its folder is. */
export function syncFolder(folder: string): void {
  if (onWindows) return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

export function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function refuseOpen(path: string, command: string): void {
  if (onWindows) return;
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0) {
    throw unusable(`${path} can be read or changed by other users. Run: ${command} ${path}`);
  }
  const self = process.getuid?.();
  if (uid !== 0 && uid !== self) {
    throw unusable(`${path} belongs to another user (${uid}). Use keys of your own, or run: chown ${self} ${path}`);
  }
}

export function unusable(message: string, cause?: unknown): BridleError {
  return new BridleError('STORE_KEYS', message, cause === undefined ? {} : { cause });
}
