/** Whether facts about bash hold for a command of Codex, which does not say in which shell it runs it. */

import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { HostEnv } from '../host.ts';
import { isPortableCommand } from '../portable-command.ts';
import { changesCommands } from '../shell-environment.ts';
import { changesLine, inProject, runsProjectPrograms } from '../startup-changes.ts';

const maxBytes = 1024 * 1024;

interface ShellPlace {
  readonly env: HostEnv;
  readonly project: string;
  readonly session: string;
}

/**
 * The model chooses the shell of each command, and hooks do not see it. So a line counts only if it means the same in
 * bash, zsh and dash, and if no startup file of these shells changes it. Otherwise, it returns why it does not count.
 */
export function confirmsBash(line: string, { env, project, session }: ShellPlace): true | string {
  if (changesCommands(env, line)) return 'a variable such as BASH_ENV changes what bash does';
  if (!isPortableCommand(line)) return 'the line may mean something else in zsh or dash, which the model can choose';
  const setting = setsVariables(project);
  if (setting !== undefined)
    return `${setting} sets variables of commands (shell_environment_policy), or cannot be read`;
  const shell = basename(accountShell());
  const { text: snapshot, time } = readSnapshot(env, session) ?? {};
  if (snapshot === undefined || time === undefined) return 'Codex has not saved the startup files of the shell';
  if (startupChangedSince(time, env)) return 'a startup file of the shell has changed since the session started';
  if (changesLine(shell === 'zsh' ? snapshot : withoutAliases(snapshot), line)) return redefined;
  const others = otherStartupFiles[shell];
  if (others === undefined) return `the shell of the account is ${shell || 'not known'}`;
  if (others.some((name) => changesLine(readStartupFile(name, env), line))) return redefined;
  return runsProjectPrograms(line, env, project) ? inProject : true;
}

const redefined = 'a startup file of the shell redefines a command or changes an option';

/** By the shell of the account, which the snapshot is of: what the other shells read before a command. */
const otherStartupFiles: Readonly<Record<string, readonly string[]>> = {
  bash: ['.zshenv'],
  zsh: ['.bash_profile', '.bash_login', '.profile', '.bashrc'],
  dash: ['.zshenv', '.bash_profile', '.bash_login', '.bashrc'],
  sh: ['.zshenv', '.bash_profile', '.bash_login', '.bashrc'],
};

/** bash and dash do not expand aliases in the commands of Codex. */
function withoutAliases(snapshot: string): string {
  return snapshot.replaceAll(/^alias .*$/gm, '');
}

/** Codex ignores SHELL. */
function accountShell(): string {
  try {
    return userInfo().shell ?? '';
  } catch {
    return '';
  }
}

/** The definitions of the snapshots of a session, and when the first of them was written. */
function readSnapshot(env: HostEnv, session: string): { readonly text: string; readonly time: number } | undefined {
  const folder = join(codexHome(env), 'shell_snapshots');
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(`${session}.`) && name.endsWith('.sh'));
    const paths = names.map((name) => join(folder, name));
    if (paths.length === 0) return undefined;
    const time = Math.min(...paths.map((path) => statSync(path).mtimeMs));
    return { text: paths.map(readBounded).join('\n'), time };
  } catch {
    return undefined;
  }
}

const startupFiles = '.bash_profile .bash_login .profile .bashrc .zshenv .zprofile .zshrc .zlogin'.split(' ');
/** A file that a startup file reads, if its name is literal. */
const sourced = /(?:^|[;&|{]|\bthen\b)\s*(?:\.|source)\s+["']?((?:~|\$HOME|\$\{HOME\}|\/)[\w./+@-]*)/gm;
const maxStartupFiles = 64;

/**
 * True if a startup file was changed after the snapshot. Codex starts a login shell, which reads the new content, for a
 * command in another folder than that of the session, and zsh reads `.zshenv` for every command.
 */
function startupChangedSince(time: number, env: HostEnv): boolean {
  const home = env['HOME'] ?? '';
  const folders = [home, ...(env['ZDOTDIR'] === undefined ? [] : [env['ZDOTDIR']])];
  const files = new Set(folders.flatMap((folder) => startupFiles.map((name) => join(folder, name))));
  // Files that are added during the loop are visited, too.
  for (const file of files) {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    // The time of the last modification can be set; that of the last change of the entry cannot.
    if (files.size > maxStartupFiles || Math.max(stats.ctimeMs, ctimeOf(file)) > time) return true;
    for (const [, path = ''] of readBounded(file).matchAll(sourced))
      files.add(path.replace(/^(?:~|\$HOME|\$\{HOME\})/, home));
  }
  return false;
}

/** Of the file that a link leads to. */
function ctimeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

/** Definitions in the form of a snapshot. Files that the file reads are not followed. */
function readStartupFile(name: string, env: HostEnv): string {
  const folder = (name.startsWith('.z') ? env['ZDOTDIR'] : undefined) ?? env['HOME'] ?? '';
  const file = join(folder, name);
  if (!existsSync(file)) return '';
  return readBounded(file)
    .replaceAll(/^\s*(?:function\s+)?([\w.:-]+)\s*\(\)/gm, '$1 ()')
    .replaceAll(/^\s*function\s+([\w.:-]+)/gm, '$1 ()')
    .replaceAll(/^\s*alias\s+/gm, 'alias ');
}

/** A project that Codex trusts can set variables for commands; hooks do not get them. */
function setsVariables(project: string): string | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const file = join(folder, '.codex', 'config.toml');
    if (existsSync(file) && mentionsVariables(readBounded(file))) return file;
    if (dirname(folder) === folder) return undefined;
  }
}

/** A quoted key can spell a letter as an escape: `"shell_environment_polic\\u0079"`. */
const escapedKey = /"(?:[^"\\\n]|\\.)*\\[uUx](?:[^"\\\n]|\\.)*"[ \t]*[.=\]]/;

function mentionsVariables(settings: string): boolean {
  return settings.includes('shell_environment_policy') || escapedKey.test(settings);
}

function codexHome(env: HostEnv): string {
  return env['CODEX_HOME'] || join(env['HOME'] ?? '', '.codex');
}

/** A file that is too large, or cannot be read, counts as changing every line. */
function readBounded(path: string): string {
  try {
    return statSync(path).size > maxBytes ? 'base64 -d shell_environment_policy' : readFileSync(path, 'utf8');
  } catch {
    return 'base64 -d shell_environment_policy';
  }
}
