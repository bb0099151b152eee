/** Writes a file atomically: into a temporary file in the same folder, which is then renamed. */

import { randomBytes } from 'node:crypto';
import { lstatSync, type BigIntStats, type Stats } from 'node:fs';
import { link, lstat, rename, unlink, type FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import type { CheckedPath } from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import {
  changedMessage,
  pathError,
  openFolder,
  type CheckedFolder,
} from '../../facts/paths/workspace/checked-folder.ts';
import { identityOf, isSameFile } from '../../facts/paths/resolve/is-inside.ts';
import { openCheckedPath } from '../../facts/paths/workspace/open-checked-path.ts';
import { errorCodeOf, probe } from '../../facts/paths/resolve/path-refusal.ts';

/**
 * Fails if the file changed since `seen`. Works inside the checked folder, which stays open, so replacing the folder
 * with a link has no effect (W06).
 */
export async function replaceFile(checked: CheckedPath, contents: string, seen?: BigIntStats): Promise<void> {
  const { path } = checked;
  // Opened for writing: without write permission the file must not be replaced.
  const old = checked.identity === undefined ? undefined : await openCheckedPath(checked, 'update');
  try {
    const name = `.bridle-${randomBytes(8).toString('hex')}`;
    const tempPath = posix.join(posix.dirname(path), name);
    const temp = await openCheckedPath({ ...checked, path: tempPath, identity: undefined }, 'create');
    try {
      await inParentFolder(checked, async (folder) => {
        try {
          await fill(temp, contents, old);
          await moveIntoPlace(checked, { folder, name, seen });
        } finally {
          await removeIfThere(folder.pathTo(name));
        }
      });
    } finally {
      await temp.close();
    }
  } catch (error) {
    throw writeFailure(error, path);
  } finally {
    await old?.close();
  }
}

function writeFailure(error: unknown, path: string): BridleError {
  const failed = pathError(error, path);
  if (failed === error || failed.code === 'PATH_CHANGED') return failed;
  return new BridleError('TOOL_FAILED', `${JSON.stringify(path)} cannot be written (${errorCodeOf(error)}).`, {
    cause: error,
  });
}

async function inParentFolder(checked: CheckedPath, work: (folder: CheckedFolder) => Promise<void>): Promise<void> {
  const path = posix.dirname(checked.path);
  const { ancestor } = checked;
  const folder = await openFolder({ path, identity: ancestor.path === path ? ancestor.identity : undefined });
  try {
    await work(folder);
  } finally {
    await folder.close();
  }
}

/** Keeps mode and owner. */
async function fill(made: FileHandle, contents: string, old: FileHandle | undefined): Promise<void> {
  await made.writeFile(contents);
  if (old !== undefined) {
    const [was, is] = [await old.stat(), await made.stat()];
    if (was.uid !== is.uid || was.gid !== is.gid) await giveTo(made, was);
    await made.chmod(was.mode & 0o7777);
  }
  await made.sync();
}

/** Only root can change the owner; for other users the file becomes their own. */
async function giveTo(made: FileHandle, { uid, gid }: Stats): Promise<void> {
  await made.chown(uid, gid).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'EPERM') throw error;
  });
}

interface RenameSource {
  readonly folder: CheckedFolder;
  readonly name: string;
  readonly seen: BigIntStats | undefined;
}

async function moveIntoPlace({ path, identity }: CheckedPath, { folder, name, seen }: RenameSource): Promise<void> {
  const from = folder.pathTo(name);
  const to = folder.pathTo(posix.basename(path));
  if (identity === undefined) return await moveNewIntoPlace(from, to);
  const stats = await lstat(to, { bigint: true });
  if (!isSameFile(identity, identityOf(stats)) || !stats.isFile())
    throw new BridleError('PATH_CHANGED', changedMessage(path));
  if (seen !== undefined && (seen.mtimeNs !== stats.mtimeNs || seen.size !== stats.size))
    throw new BridleError('TOOL_FAILED', `${JSON.stringify(path)} was changed in the meantime; view it again.`);
  return await rename(from, to);
}

/** Uses a hard link, which fails if the file exists by now. Falls back to rename on file systems without links. */
async function moveNewIntoPlace(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: unknown) => {
    if (!noLinkCodes.has(errorCodeOf(error))) throw error;
    const there = probe(() => lstatSync(to));
    if (there.type === 'found') throw new BridleError('PATH_CHANGED', changedMessage(to), { cause: error });
    await rename(from, to);
  });
}

const noLinkCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
  });
}
