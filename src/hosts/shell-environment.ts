/** Whether the environment of a host changes the commands that its shell runs. */

import type { HostEnv } from './host.ts';

/** bash runs a file first, has other functions or options, or follows `cd` and patterns elsewhere. */
const changing = new Set([
  'BASHOPTS',
  'BASH_COMPAT',
  'BASH_ENV',
  'CDPATH',
  'EXECIGNORE',
  'GLOBIGNORE',
  'POSIXLY_CORRECT',
  'SHELLOPTS',
]);

/**
 * True if the same command line can mean something else than in a clean environment. A hook inherits the environment of
 * the host, as commands do. Facts about command lines are then not confirmed.
 */
export function changesCommands(env: HostEnv): boolean {
  return Object.entries(env).some(
    ([name, value]) => value !== undefined && (changing.has(name) || name.startsWith('BASH_FUNC_')),
  );
}
