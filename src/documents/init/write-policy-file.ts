/** Writes a policy file whole or not at all: into a file beside it, which then takes its name. */

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BridleError, messageOf } from '../../errors.ts';

export interface PolicyWriting {
  /** True: a policy that is there is replaced. */
  readonly force: boolean;
}

/** A link is never written through, and nothing but a plain file is replaced. */
export function writePolicyFile(path: string, text: string, { force }: PolicyWriting): void {
  const name = basename(path);
  const old = fs.lstatSync(path, { throwIfNoEntry: false });
  if (old !== undefined && !old.isFile())
    throw refused(`${name} is there and is ${old.isSymbolicLink() ? 'a link' : 'not a file'}: it is left alone`);
  if (old !== undefined && !force) throw exists(name);
  const draft = join(dirname(path), `.${name}.${randomBytes(8).toString('hex')}`);
  try {
    fill(draft, text, old?.mode);
    if (force) fs.renameSync(draft, path);
    else takeName(draft, path);
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw refused(`${name} cannot be written: ${messageOf(error)}`, error);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function fill(draft: string, text: string, mode: number | undefined): void {
  const handle = fs.openSync(draft, 'wx', 0o644);
  try {
    fs.writeFileSync(handle, text);
    if (mode !== undefined) fs.fchmodSync(handle, mode & 0o777);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Unlike a rename, this fails if a file has come into being in the meantime. */
function takeName(draft: string, path: string): void {
  try {
    fs.linkSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(basename(path), error);
    // Some file systems have no links; copying fails just so.
    fs.copyFileSync(draft, path, fs.constants.COPYFILE_EXCL);
  }
}

function exists(name: string, cause?: unknown): BridleError {
  return refused(`${name} is there already; --force replaces it, --stdout prints what would be written`, cause);
}

function refused(message: string, cause?: unknown): BridleError {
  return new BridleError('POLICY_FILE', message, cause === undefined ? {} : { cause });
}
