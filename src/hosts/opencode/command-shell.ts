/** Which shell opencode runs commands in, as far as Bridle can tell. */

import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HostEnv } from '../host.ts';
import { isPortableCommand } from '../portable-command.ts';
import { changesCommands } from '../shell-environment.ts';
import { runsProjectPrograms } from '../startup-changes.ts';

/** The plugin reports the `shell` of opencode's configuration: null if it has none, undefined if it is not known. */
export interface ShellChoice {
  readonly configured: string | null | undefined;
  readonly env: HostEnv;
  readonly project: string;
}

/** The configuration of a repository can name any program, so only the usual places of a shell count. */
const usualPlace = /^(?:(?:\/usr)?(?:\/local)?\/bin\/|\/opt\/homebrew\/bin\/)?(bash|dash|sh|zsh)$/;
/** opencode does not use these, and takes bash. */
const refusedShells = new Set(['fish', 'nu']);

/** True if the command means the same as in bash. */
export function runsLikeBash(command: string, { configured, env, project }: ShellChoice): boolean {
  if (configured === undefined || changesCommands(env, command) || runsProjectPrograms(command, env, project))
    return false;
  const shell =
    configured === null || refusedShells.has(basename(configured)) ? userShell(env) : usualShell(configured);
  if (shell === 'bash') return true;
  if (shell === 'sh' || shell === 'dash') return isPortableCommand(command);
  return shell === 'zsh' && isPortableCommand(command) && !hasZshStartup(env);
}

function usualShell(program: string): string | undefined {
  return usualPlace.exec(program)?.[1];
}

/** The user's own `$SHELL`. opencode takes bash if it is missing. */
function userShell(env: HostEnv): string | undefined {
  const shell = env['SHELL'] ?? '';
  if (shell === '' || refusedShells.has(basename(shell))) return existsSync('/bin/bash') ? 'bash' : undefined;
  return shell.startsWith('/') ? basename(shell) : usualShell(shell);
}

/** True if a file that zsh always reads could define functions or aliases. */
function hasZshStartup(env: HostEnv): boolean {
  const home = env['ZDOTDIR'] ?? env['HOME'] ?? '';
  return ['/etc/zshenv', '/etc/zsh/zshenv', join(home, '.zshenv')].some((file) => !isHarmless(file));
}

/** Comments, and plain exports. */
const harmlessLine = /^\s*(?:#.*|export\s+[A-Z_]+=["']?[\w/.:$~{}-]*["']?)?\s*$/;

function isHarmless(file: string): boolean {
  if (!existsSync(file)) return true;
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.every((line) => harmlessLine.test(line) && !/(?:CDPATH|ZDOTDIR|BASH_ENV)/.test(line));
  } catch {
    return false;
  }
}
