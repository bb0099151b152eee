/** Whether the environment of a host changes the commands that its shell runs. */

import { readFileSync } from 'node:fs';
import { isHarmlessSetting, variableEffect } from '../facts/shell/words/variable-effects.ts';
import type { HostEnv } from './host.ts';
import { commandNames } from './startup-changes.ts';

/** bash runs a file first, has other options, or follows `cd` and patterns elsewhere. */
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
/** A function that every bash gets. Some systems export one for all users. */
const exportedFunction = /^BASH_FUNC_(.+?)(?:%%|\(\))?$/;

/**
 * True if the same command line can mean something else than in a clean environment. A hook inherits the environment of
 * the host, as commands do. Facts about command lines are then not confirmed.
 */
export function changesCommands(env: HostEnv, line: string): boolean {
  const names = Object.keys(env).filter((name) => env[name] !== undefined);
  if (names.some((name) => changing.has(name))) return true;
  const functions = names.flatMap((name) => exportedFunction.exec(name)?.[1] ?? []);
  return functions.length > 0 && commandNames(line).some((name) => functions.includes(name));
}

/**
 * Adds the exported functions that the parent process was started with. On many systems, the shell of the wrapper is
 * dash, which does not pass them on.
 */
export function withExportedFunctions(env: HostEnv, parent = process.ppid): HostEnv {
  if (process.platform !== 'linux') return env;
  let environment: string;
  try {
    environment = readFileSync(`/proc/${parent}/environ`, 'latin1');
  } catch {
    return env;
  }
  const functions = environment.split('\0').filter((entry) => entry.startsWith('BASH_FUNC_'));
  if (functions.length === 0) return env;
  return { ...env, ...Object.fromEntries(functions.map((entry) => [entry.split('=', 1)[0] ?? '', ''])) };
}

/** Those of the variables, which a repository sets for every command, that change what usual programs run or read. */
export function harmfulVariables(variables: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    const isHarmful = hostVariable.test(name) || variableEffect(name) !== undefined;
    return isHarmful && !isHarmlessSetting(name, String(value)) ? [name] : [];
  });
}

/** They choose the shell of a host, or the files of Bridle. */
const hostVariable = /^(?:BRIDLE_.*|CLAUDE_CODE_SHELL.*|CLAUDE_CONFIG_DIR|CLAUDE_ENV_FILE|CODEX_HOME)$/;
