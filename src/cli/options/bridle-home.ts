import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../../files/home-folder.ts';

/** The folder for the user's keys, cache, trust and sessions: `BRIDLE_HOME` if absolute, else `~/.bridle`. */
export function bridleHome(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['BRIDLE_HOME'];
  return named !== undefined && isAbsolute(named) ? named : join(homeFolder(), '.bridle');
}
