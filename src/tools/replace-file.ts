/** Writes a file as a whole or not at all: into a file beside it, which then takes its name. */

import { randomBytes } from 'node:crypto';
import { lstatSync, type BigIntStats, type Stats } from 'node:fs';
import { link, lstat, rename, unlink, type FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import type { CheckedPath } from '../call.ts';
import { BridleError } from '../errors.ts';
import { changed, failure, openFolder, type CheckedFolder } from '../paths/checked-folder.ts';
import { identityOf, isSameFile } from '../paths/file-identity.ts';
import { openChecked } from '../paths/open-checked.ts';
import { codeOf, probe } from '../paths/refusal.ts';

/**
 * Where `seen` is given, what was written to the file since then is not lost: it is an error. Everything happens in the checked folder, held open, so a link put in its place leads nowhere else (W06).
 */
export async function replaceFile(checked: CheckedPath, contents: string, seen?: BigIntStats): Promise<void> {
  const { path } = checked;
  // Whoever may not write the file must not replace it either.
  const old = checked.identity === undefined ? undefined : await openChecked(checked, 'update');
  try {
    const name = `.bridle-${randomBytes(8).toString('hex')}`;
    const beside = posix.join(posix.dirname(path), name);
    const made = await openChecked({ ...checked, path: beside, identity: undefined }, 'create');
    try {
      await inFolder(checked, async (folder) => {
        try {
          await fill(made, contents, old);
          await take(checked, { folder, name, seen });
        } finally {
          await removeIfThere(folder.to(name));
        }
      });
    } finally {
      await made.close();
    }
  } catch (error) {
    throw writeFailure(error, path);
  } finally {
    await old?.close();
  }
}

function writeFailure(error: unknown, path: string): BridleError {
  const told = failure(error, path);
  if (told === error || told.code === 'PATH_CHANGED') return told;
  return new BridleError('TOOL_FAILED', `${JSON.stringify(path)} cannot be written (${codeOf(error)}).`, {
    cause: error,
  });
}

async function inFolder(checked: CheckedPath, work: (folder: CheckedFolder) => Promise<void>): Promise<void> {
  const path = posix.dirname(checked.path);
  const { ancestor } = checked;
  const folder = await openFolder({ path, identity: ancestor.path === path ? ancestor.identity : undefined });
  try {
    await work(folder);
  } finally {
    await folder.close();
  }
}

/** Mode and owner stay what they were. */
async function fill(made: FileHandle, contents: string, old: FileHandle | undefined): Promise<void> {
  await made.writeFile(contents);
  if (old !== undefined) {
    const [was, is] = [await old.stat(), await made.stat()];
    if (was.uid !== is.uid || was.gid !== is.gid) await giveTo(made, was);
    await made.chmod(was.mode & 0o7777);
  }
  await made.sync();
}

/** Only root may give a file away; for others it becomes their own. */
async function giveTo(made: FileHandle, { uid, gid }: Stats): Promise<void> {
  await made.chown(uid, gid).catch((error: unknown) => {
    if (codeOf(error) !== 'EPERM') throw error;
  });
}

interface Taking {
  readonly folder: CheckedFolder;
  readonly name: string;
  readonly seen: BigIntStats | undefined;
}

async function take({ path, identity }: CheckedPath, { folder, name, seen }: Taking): Promise<void> {
  const from = folder.to(name);
  const to = folder.to(posix.basename(path));
  if (identity === undefined) return await takeNew(from, to);
  const stats = await lstat(to, { bigint: true });
  if (!isSameFile(identity, identityOf(stats)) || !stats.isFile()) throw new BridleError('PATH_CHANGED', changed(path));
  if (seen !== undefined && (seen.mtimeNs !== stats.mtimeNs || seen.size !== stats.size))
    throw new BridleError('TOOL_FAILED', `${JSON.stringify(path)} was changed meanwhile; view it again.`);
  return await rename(from, to);
}

/** A link fails where a file was made in the meantime; a rename, for file systems without links, would write over it. */
async function takeNew(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: unknown) => {
    if (!withoutLinks.has(codeOf(error))) throw error;
    const there = probe(() => lstatSync(to));
    if (there.type === 'found') throw new BridleError('PATH_CHANGED', changed(to), { cause: error });
    await rename(from, to);
  });
}

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}
