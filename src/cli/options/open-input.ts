import { closeSync, fstatSync, openSync } from 'node:fs';
import { messageOf } from '../../kernel/errors.ts';
import { usageError } from './usage-error.ts';

/** Opens a file that a command reads, which is called `what` where it cannot be. */
export function openInput(path: string, what: string): number {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw usageError(`${what} cannot be read: ${openErrorText(path, error)}`);
  }
  if (!fstatSync(file).isDirectory()) return file;
  closeSync(file);
  throw usageError(`${what} cannot be read: ${JSON.stringify(path)} is a folder`);
}

/** The words of the system name the path again, and the code. */
function openErrorText(path: string, error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return code === 'ENOENT' ? `${JSON.stringify(path)} does not exist` : messageOf(error);
}
