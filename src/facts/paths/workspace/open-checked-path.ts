/**
 * Opens the checked file and nothing else (W06): verifies the folder and keeps it open, then verifies the opened file
 * before the first byte. Until then it truncates nothing and follows no link.
 */

import { constants, type BigIntStats } from 'node:fs';
import { lstat, mkdir, unlink, type FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import type { CheckedPath } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import { changedMessage, pathError, openFolder, openHandle, verifyPath, type CheckedFolder } from './checked-folder.ts';
import { identityOf, isSameFile } from '../resolve/is-inside.ts';
import { quote, errorCodeOf } from '../resolve/path-refusal.ts';

/**
 * `read`: an existing file. `update`: an existing file for reading and writing, content kept. `write`: an existing
 * file, truncated, or a new one. `create`: a new file only.
 */
export type PathOpenMode = 'read' | 'update' | 'write' | 'create';

const accessFlags: Readonly<Record<PathOpenMode, number>> = {
  read: constants.O_RDONLY,
  update: constants.O_RDWR,
  write: constants.O_WRONLY,
  create: constants.O_WRONLY,
};

/**
 * If a FIFO or a terminal replaces the file, opening it must not block and must not make it the controlling terminal.
 */
const safeFlags = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Opens a checked path; throws `PATH_CHANGED` if it no longer leads to the checked file. */
export async function openCheckedPath(checked: CheckedPath, mode: PathOpenMode): Promise<FileHandle> {
  const { path, identity } = checked;
  if (identity === undefined && (mode === 'read' || mode === 'update')) {
    throw new BridleError('PATH_REFUSED', `${quote(path)} does not exist.`);
  }
  if (identity !== undefined && mode === 'create')
    throw new BridleError('PATH_REFUSED', `${quote(path)} already exists.`);
  try {
    return identity === undefined ? await openNew(checked, mode) : await openExisting(checked, mode);
  } catch (error) {
    throw pathError(error, path);
  }
}

async function openExisting(checked: CheckedPath, mode: PathOpenMode): Promise<FileHandle> {
  const { path } = checked;
  const folder = await openFolder(checked.ancestor);
  try {
    const openPath = folder.pathTo(posix.basename(path) || '.');
    // Opening a device can have side effects, so its type is checked first.
    verifyFile(checked, await lstat(openPath, { bigint: true }));
    const handle = await openHandle(openPath, accessFlags[mode] | safeFlags, path);
    return await closeUnlessVerified(handle, async () => {
      const stats = await handle.stat({ bigint: true });
      verifyFile(checked, stats);
      await verifyPath(handle, stats, path);
      if (mode === 'write') await handle.truncate(0);
    });
  } finally {
    await folder.close();
  }
}

function verifyFile(checked: CheckedPath, stats: BigIntStats): void {
  // A link can have the inode of the file it replaced.
  const isSame = checked.identity !== undefined && isSameFile(checked.identity, identityOf(stats));
  if (!isSame || stats.isSymbolicLink()) {
    throw new BridleError('PATH_CHANGED', changedMessage(checked.path));
  }
  if (!stats.isFile()) throw new BridleError('PATH_REFUSED', `${quote(checked.path)} is not a regular file.`);
}

async function openNew(checked: CheckedPath, mode: PathOpenMode): Promise<FileHandle> {
  const { path } = checked;
  const folder = await makeFolders(checked);
  try {
    const openPath = folder.pathTo(posix.basename(path));
    const handle = await openHandle(
      openPath,
      accessFlags[mode] | safeFlags | constants.O_CREAT | constants.O_EXCL,
      path,
    );
    return await closeUnlessVerified(handle, async () => {
      const stats = await handle.stat({ bigint: true });
      await verifyPath(handle, stats, path).catch(async (error: unknown) => {
        await removeCreated(openPath, stats);
        throw error;
      });
    });
  } finally {
    await folder.close();
  }
}

/** Creates the missing folders one by one, each inside the one before, and opens the last. */
async function makeFolders(checked: CheckedPath): Promise<CheckedFolder> {
  const missing = posix.relative(checked.ancestor.path, posix.dirname(checked.path)).split('/');
  let folder = await openFolder(checked.ancestor);
  for (const name of missing.filter((name) => name !== '')) {
    const outer = folder;
    try {
      folder = await makeFolder(outer, name);
    } finally {
      await outer.close();
    }
  }
  return folder;
}

/** If another call has created the folder in the meantime, that one is used; links are not followed. */
async function makeFolder(outer: CheckedFolder, name: string): Promise<CheckedFolder> {
  const via = outer.pathTo(name);
  await mkdir(via).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  });
  return await openFolder({ path: posix.join(outer.path, name), via, identity: undefined });
}

async function removeCreated(openPath: string, created: BigIntStats): Promise<void> {
  const stats = await lstat(openPath, { bigint: true });
  if (isSameFile(identityOf(stats), identityOf(created))) await unlink(openPath);
}

async function closeUnlessVerified(handle: FileHandle, verify: () => Promise<void>): Promise<FileHandle> {
  try {
    await verify();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
