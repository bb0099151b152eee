/**
 * Whether what a user's startup files define changes a command line. Hosts keep these definitions in a snapshot: a shell
 * script with one alias per line, and functions that start at the beginning of a line.
 */

import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { analyseCommand } from '../facts/shell/analysis/analyse-command.ts';
import type { HostEnv } from './host.ts';

/** Options that change what patterns match. */
const patternOption =
  /^(?:shopt -s (?:dotglob|failglob|globstar|nocaseglob|nullglob)|set -o (?:noglob|posix)|setopt (?:cshjunkiequotes|cshnullglob|globdots|globstarshort|kshglob|markdirs|nocaseglob|noglob|nullglob|shglob))$/m;
/** Options that change where `cd` leads. */
const folderOption = /^(?:shopt -s (?:cdable_vars|cdspell)|setopt (?:cdablevars|chaselinks|posixcd))$/m;

export function changesLine(snapshot: string, line: string): boolean {
  // Old versions of Claude Code encode functions.
  if (snapshot.includes('base64 -d')) return true;
  if (commandNames(line).some((name) => isDefined(`\n${snapshot}`, name))) return true;
  return (/[*?[]/.test(line) && patternOption.test(snapshot)) || (/\bcd\b/.test(line) && folderOption.test(snapshot));
}

/** The names of all commands that bash would look up. */
export function commandNames(line: string): readonly string[] {
  const names = analyseCommand(line).commands.flatMap(({ argv: [name], via }) =>
    name?.type === 'literal' ? [name.value, ...via] : via,
  );
  return [...new Set(names)].filter((name) => !name.includes('/'));
}

/** `function name {` is the form in which Claude Code adds its own search programs; users' functions have another one. */
function isDefined(snapshot: string, name: string): boolean {
  if (snapshot.includes(`\n${name} ()`) || snapshot.includes(`\neval $'${name} ()`)) return true;
  return [`\nalias -- ${name}=`, `\nalias ${name}=`, `\nalias -g ${name}=`].some((start) => {
    const at = snapshot.indexOf(start);
    return at !== -1 && !addsOptions(name, snapshot.slice(at + start.length, at + start.length + 1000));
  });
}

/** `ls='ls --color=auto'` still runs the same program. */
function addsOptions(name: string, definition: string): boolean {
  const [, quoted, plain] = /^(?:'([^'\n]*)'|([^'\n]*))(?:\n|$)/.exec(definition) ?? [];
  const [program, ...options] = (quoted ?? plain ?? '').trim().split(' ');
  return program === name && options.every((option) => /^--?[\w-]+(?:=[\w.:-]*)?$/.test(option));
}

const libraries = /^(?:LD|DYLD)_/;

/** Why nothing is known about a line if {@link runsProjectPrograms}. */
export const inProject = 'PATH or a variable makes it run a program or a library of the project';

/** True if a command of the line is a program of the project, or loads a library of it, because of the environment. */
export function runsProjectPrograms(line: string, env: HostEnv, project: string): boolean {
  const loaded = Object.keys(env).filter((name) => libraries.test(name));
  if (loaded.some((name) => (env[name] ?? '').split(/[: ]/).some((path) => path !== '' && isInside(project, path))))
    return true;
  const folders = (env['PATH'] ?? '').split(':').filter((path) => isInside(project, path));
  if (folders.length === 0) return false;
  return commandNames(line).some((name) => folders.some((folder) => existsSync(resolve(project, folder, name))));
}

function isInside(project: string, path: string): boolean {
  return !isAbsolute(path) || path === project || path.startsWith(`${project}/`);
}
