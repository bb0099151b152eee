/** The user's folder of Bridle, and the policies that apply in addition to a project's policy. */

import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { homeFolder } from './home-folder.ts';

/** The folder for the user's keys, cache, trust and sessions: `BRIDLE_HOME` if absolute, else `~/.bridle`. */
export function bridleHome(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['BRIDLE_HOME'];
  return named !== undefined && isAbsolute(named) ? named : join(homeFolder(), '.bridle');
}

/** The machine's and the user's policy files, where they exist. */
export function higherLayers(home: string): readonly string[] {
  return ['/etc/bridle/policy.yaml', join(home, 'policy.yaml')].filter((file) => existsSync(file));
}
