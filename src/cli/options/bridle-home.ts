import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../../files/home-folder.ts';

/** The folder of what the command remembers for its user: `~/.bridle`, or what `BRIDLE_HOME` names. */
export function bridleHome(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['BRIDLE_HOME'];
  return named !== undefined && isAbsolute(named) ? named : join(homeFolder(), '.bridle');
}
