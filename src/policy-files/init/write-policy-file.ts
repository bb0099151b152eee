/** Writes a policy file atomically: to a draft next to it, which is then renamed or linked. */

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';

export interface WritePolicyOptions {
  /** True to replace an existing policy. */
  readonly force: boolean;
}

/** Never writes through a symbolic link, and replaces only regular files. */
export function writePolicyFile(path: string, text: string, { force }: WritePolicyOptions): void {
  const name = basename(path);
  const old = fs.lstatSync(path, { throwIfNoEntry: false });
  if (old !== undefined && !old.isFile())
    throw policyFileError(
      `${name} is ${old.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'}, so it is not replaced`,
    );
  if (old !== undefined && !force) throw alreadyExistsError(name);
  const draft = join(dirname(path), `.${name}.${randomBytes(8).toString('hex')}`);
  try {
    writeDraft(draft, text, old?.mode);
    if (force) fs.renameSync(draft, path);
    else linkDraft(draft, path);
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw policyFileError(`${name} cannot be written: ${messageOf(error)}`, error);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function writeDraft(draft: string, text: string, mode: number | undefined): void {
  const handle = fs.openSync(draft, 'wx', 0o644);
  try {
    fs.writeFileSync(handle, text);
    if (mode !== undefined) fs.fchmodSync(handle, mode & 0o777);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Unlike a rename, this fails if the file was created in the meantime. */
function linkDraft(draft: string, path: string): void {
  try {
    fs.linkSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyExistsError(basename(path), error);
    // Some file systems have no links; an exclusive copy fails in the same way.
    fs.copyFileSync(draft, path, fs.constants.COPYFILE_EXCL);
  }
}

function alreadyExistsError(name: string, cause?: unknown): BridleError {
  return policyFileError(
    `${name} already exists; use --force to replace it, or --stdout to print the new policy`,
    cause,
  );
}

function policyFileError(message: string, cause?: unknown): BridleError {
  return new BridleError('POLICY_FILE', message, cause === undefined ? {} : { cause });
}
