/**
 * Keeps a folder open while something is done in it. If the system has /proc, names are looked up below the open folder
 * itself, so replacing a parent folder with a symbolic link has no effect.
 */

import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import type { FileIdentity } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import { identityOf, isSameFile } from '../resolve/is-inside.ts';
import { quote, errorCodeOf } from '../resolve/path-refusal.ts';

export interface CheckedFolder {
  readonly path: string;
  /** The path to a name in it; `.` for the folder itself. */
  readonly pathTo: (name: string) => string;
  readonly close: () => Promise<void>;
}

export interface FolderRequest {
  /** The path that the folder must have. */
  readonly path: string;
  /** The path to open it by, if not `path`. */
  readonly via?: string | undefined;
  /** The expected identity; undefined for a folder that was just created. */
  readonly identity: FileIdentity | undefined;
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens a folder and verifies that it is the checked one, at the checked path. */
export async function openFolder(request: FolderRequest): Promise<CheckedFolder> {
  const { path, identity } = request;
  const handle = await openHandle(request.via ?? path, folderFlags, path);
  try {
    const stats = await handle.stat({ bigint: true });
    if (identity !== undefined && !isSameFile(identity, identityOf(stats)))
      throw new BridleError('PATH_CHANGED', changedMessage(path));
    await verifyPath(handle, stats, path);
    const link = await descriptorLinkOf(handle);
    return { path, pathTo: (name) => `${link?.descriptorPath ?? path}/${name}`, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Verifies that an open file or folder still has this path, without links. */
export async function verifyPath(handle: FileHandle, stats: BigIntStats, path: string): Promise<void> {
  const link = await descriptorLinkOf(handle);
  if (link !== undefined && link.target === path) return;
  if (link === undefined && (await isStillAt(stats, path))) return;
  throw new BridleError('PATH_CHANGED', changedMessage(path));
}

/** Opens a file and reports a change since the check as `PATH_CHANGED`, other errors as `PATH_REFUSED`. */
export async function openHandle(descriptorPath: string, flags: number, path: string): Promise<FileHandle> {
  try {
    return await open(descriptorPath, flags, 0o666);
  } catch (error) {
    throw pathError(error, path);
  }
}

export function pathError(error: unknown, path: string): BridleError {
  if (error instanceof BridleError) return error;
  const code = errorCodeOf(error);
  if (codesOfChange.has(code)) return new BridleError('PATH_CHANGED', changedMessage(path), { cause: error });
  return new BridleError('PATH_REFUSED', `${quote(path)} cannot be opened (${code}).`, { cause: error });
}

export function changedMessage(path: string): string {
  return `${quote(path)} has changed since it was checked: it was moved, replaced or removed.`;
}

const codesOfChange = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'EEXIST']);

interface DescriptorLink {
  readonly descriptorPath: string;
  readonly target: string;
}

/** The current path of an open file according to the kernel; undefined without /proc. */
async function descriptorLinkOf(handle: FileHandle): Promise<DescriptorLink | undefined> {
  if (process.platform !== 'linux') return undefined;
  const descriptorPath = `/proc/self/fd/${handle.fd}`;
  try {
    return { descriptorPath, target: await readlink(descriptorPath) };
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isStillAt(stats: BigIntStats, path: string): Promise<boolean> {
  const named = await lstat(path, { bigint: true });
  return isSameFile(identityOf(named), identityOf(stats)) && (await realpath(path)) === path;
}
