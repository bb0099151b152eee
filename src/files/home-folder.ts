import { homedir } from 'node:os';

/** The user's home folder. Reads HOME first, as `os.homedir()` does, because that needs no native call. */
export function homeFolder(): string {
  const named = process.platform === 'win32' ? undefined : process.env['HOME'];
  return named === undefined || named === '' ? homedir() : named;
}
