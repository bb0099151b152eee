/** The file of a store: for its owner alone, made whole or not at all, and never through a link somebody has laid. */

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
import { isMissing } from '../keys/private-file.ts';

/** What SQLite keeps beside the file. */
const sidecarSuffixes = ['-wal', '-shm', '-journal'];

const pageBytes = 4096;

/** The file and everything SQLite keeps beside it. */
export function filesOfStore(path: string): readonly string[] {
  return [path, ...sidecarSuffixes.map((end) => path + end)];
}

/** The real path of a store that exists; if it does not, `fill` makes its content first, and it then gets its name. */
export async function openStoreFile(path: string, fill: (draft: string) => Promise<void>): Promise<string> {
  try {
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

function openFolder(folder: string): string {
  createFolderSync(folder);
  const real = realpathSync(folder);
  const ignore = join(real, '.gitignore');
  // A store holds what was asked and answered: it must not end up in a repository.
  const inProject = basename(real) === '.bridle' && dirname(real) !== homedir();
  if (inProject && !existsSync(ignore)) createFileAtomicSync(ignore, '*\n');
  return real;
}

/**
 * A file under two names, one of them known to SQLite, is a way to damage it: what gets the name is a copy that SQLite has
 * never seen. Whoever is first names the store; the others use it.
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
  if (notPlain !== undefined) throw openFailure(path, `${notPlain} is no plain file; move it away`);
  // A store has its content before it has its name: a file without even one page has lost it, and SQLite would begin anew.
  // It is not opened to look: closing it would end the locks that another store of this process holds on it.
  if ((fileAt(path)?.size ?? 0) < pageBytes) throw damagedFile(path);
  for (const file of files) {
    // Widened by a copy or by hand: it is closed again. What is no store is left as it is.
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
    `The store ${path} is empty or cut off. Restore it from a copy, or move it away to start anew.`,
  );
}
