import { closeSync, fstatSync, openSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { wrong } from './wrong-use.ts';

/** Opens a file that a command reads, which is called `what` where it cannot be. */
export function openInput(path: string, what: string): number {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw wrong(`${what} cannot be read: ${whyUnread(path, error)}`);
  }
  if (!fstatSync(file).isDirectory()) return file;
  closeSync(file);
  throw wrong(`${what} cannot be read: ${JSON.stringify(path)} is a folder`);
}

/** The words of the system name the path again, and the code. */
function whyUnread(path: string, error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return code === 'ENOENT' ? `${JSON.stringify(path)} does not exist` : messageOf(error);
}
