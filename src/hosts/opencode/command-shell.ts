/** Which shell opencode runs commands in, as far as Bridle can tell. */

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { HostEnv } from '../host.ts';
import { changesCommands } from '../shell-environment.ts';

/** The plugin reports the `shell` of opencode's configuration: null if it has none, undefined if it is not known. */
export interface ShellChoice {
  readonly configured: string | null | undefined;
  readonly env: HostEnv;
}

/** The configuration of a repository can name any program, so only the usual places of a shell count. */
const usualPlace = /^(?:(?:\/usr)?(?:\/local)?\/bin\/|\/opt\/homebrew\/bin\/)?(bash|dash|sh|zsh)$/;
/** opencode does not use these, and takes bash. */
const refusedShells = new Set(['fish', 'nu']);

/** True if bash runs commands. */
export function runsInBash({ configured, env }: ShellChoice): boolean {
  if (configured === undefined || changesCommands(env)) return false;
  const shell =
    configured === null || refusedShells.has(basename(configured)) ? userShell(env) : usualShell(configured);
  return shell === 'bash';
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
