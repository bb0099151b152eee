/** The file of a store: accessible to its owner only, created atomically, and never opened through a planted link. */

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { createFolderSync, createFileAtomicSync } from '../../files/atomic-write.ts';
import { isMissing } from '../keys/key-files.ts';

/** Suffixes of the files that SQLite keeps next to the database. */
const sidecarSuffixes = ['-wal', '-shm', '-journal'];

const pageBytes = 4096;

/** The folder of a store in a project. */
const projectFolder = '.bridle';

/** The database file and the files SQLite keeps next to it. */
export function filesOfStore(path: string): readonly string[] {
  return [path, ...sidecarSuffixes.map((end) => path + end)];
}

/** The real path of a store. If it does not exist, `fill` creates its content before the file gets its name. */
export async function openStoreFile(path: string, fill: (draft: string) => Promise<void>): Promise<string> {
  try {
    refusePlantedLink(path);
    const folder = openFolder(dirname(path));
    const real = join(folder, basename(path));
    if (fileAt(real) === undefined) await makeFile(real, fill);
    checkFile(real);
    return real;
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw openFailure(path, messageOf(error), error);
  }
}

/**
 * A repository can contain a link with this name, and then it would choose where the store is written. The home folder
 * contains no repository's files, so a link there is the user's own.
 */
function refusePlantedLink(path: string): void {
  const folder = dirname(path);
  if (basename(folder) !== projectFolder || dirname(folder) === homedir()) return;
  if (fileAt(folder)?.isSymbolicLink() !== true) return;
  throw openFailure(
    path,
    `${folder} is a symbolic link. A repository can contain such a link, so Bridle does not follow it. Remove the link, or name a store in another folder with --store or BRIDLE_STORE`,
  );
}

function openFolder(folder: string): string {
  createFolderSync(folder);
  const real = realpathSync(folder);
  const ignore = join(real, '.gitignore');
  // A store contains prompts and answers: keep it out of version control.
  const inProject = basename(real) === projectFolder && dirname(real) !== homedir();
  if (inProject && !existsSync(ignore)) createFileAtomicSync(ignore, '*\n');
  return real;
}

/**
 * SQLite can damage a file that it knows under another name, so the file that gets the final name is a copy SQLite has
 * never opened. If several processes create the store, the first one wins and the others use its file.
 */
async function makeFile(path: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    await fill(draft);
    createFileAtomicSync(path, readFileSync(draft));
  } finally {
    for (const file of filesOfStore(draft)) rmSync(file, { force: true });
  }
}

function checkFile(path: string): void {
  const files = filesOfStore(path).filter((file) => fileAt(file) !== undefined);
  const notPlain = files.find((file) => fileAt(file)?.isFile() !== true);
  if (notPlain !== undefined) throw openFailure(path, `${notPlain} is not a regular file; move it away`);
  // A store gets its content before its name, so a file shorter than one page has lost it, and SQLite would start over.
  // Do not open the file to check: closing it would release the locks of another open store in this process.
  if ((fileAt(path)?.size ?? 0) < pageBytes) throw damagedFile(path);
  for (const file of files) {
    // Permissions may have been widened, for example by a copy: restrict them again.
    if (process.platform !== 'win32' && ((fileAt(file)?.mode ?? 0) & 0o077) !== 0) chmodSync(file, 0o600);
  }
}

function fileAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function openFailure(path: string, what: string, cause?: unknown): BridleError {
  return new BridleError('STORE_FAILED', `The store ${path} cannot be opened: ${what}.`, { cause });
}

function damagedFile(path: string): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The store ${path} is empty or truncated. Restore it from a backup, or move it away to start over.`,
  );
}
