import { homedir } from 'node:os';

/** The home of the user, as Node tells it; what Node would look at first is looked at here, which loads nothing. */
export function homeFolder(): string {
  const named = process.platform === 'win32' ? undefined : process.env['HOME'];
  return named === undefined || named === '' ? homedir() : named;
}
