import { closeSync, fstatSync, openSync } from 'node:fs';
import { messageOf } from '../../kernel/errors.ts';
import { usageError } from './usage-error.ts';

/** Opens an input file; `what` names it in the error. */
export function openInput(path: string, what: string): number {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw usageError(`cannot read ${what}: ${openErrorText(path, error)}`);
  }
  if (!fstatSync(file).isDirectory()) return file;
  closeSync(file);
  throw usageError(`cannot read ${what}: ${JSON.stringify(path)} is a folder`);
}

/** A shorter text for a missing file than Node's, which repeats the path and the error code. */
function openErrorText(path: string, error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return code === 'ENOENT' ? `${JSON.stringify(path)} does not exist` : messageOf(error);
}
