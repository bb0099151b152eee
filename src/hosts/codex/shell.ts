/** Whether facts about bash hold for a command of Codex, which does not say in which shell it runs it. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { HostEnv } from '../host.ts';
import { isPortableCommand } from '../portable-command.ts';
import { changesCommands } from '../shell-environment.ts';
import { changesLine, runsProjectPrograms } from '../startup-changes.ts';

const maxBytes = 1024 * 1024;

interface ShellPlace {
  readonly env: HostEnv;
  readonly project: string;
  readonly session: string;
}

/**
 * The model chooses the shell of each command, and hooks do not see it. So a line counts only if it means the same in
 * bash, zsh and dash, and if no startup file of these shells changes it.
 */
export function confirmsBash(line: string, { env, project, session }: ShellPlace): boolean {
  if (changesCommands(env, line) || !isPortableCommand(line) || setsVariables(project)) return false;
  const shell = basename(accountShell());
  const snapshot = readSnapshot(env, session);
  if (snapshot === undefined || changesLine(shell === 'zsh' ? snapshot : withoutAliases(snapshot), line)) return false;
  const others = otherStartupFiles[shell];
  if (others === undefined || others.some((name) => changesLine(readStartupFile(name, env), line))) return false;
  return !runsProjectPrograms(line, env, project);
}

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

function readSnapshot(env: HostEnv, session: string): string | undefined {
  const folder = join(codexHome(env), 'shell_snapshots');
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(`${session}.`) && name.endsWith('.sh'));
    return names.length === 0 ? undefined : names.map((name) => readBounded(join(folder, name))).join('\n');
  } catch {
    return undefined;
  }
}

/** Definitions in the form of a snapshot. Files that the file reads are not followed. */
function readStartupFile(name: string, env: HostEnv): string {
  const file = join(env['HOME'] ?? '', name);
  if (!existsSync(file)) return '';
  return readBounded(file)
    .replaceAll(/^\s*(?:function\s+)?([\w.:-]+)\s*\(\)/gm, '$1 ()')
    .replaceAll(/^\s*function\s+([\w.:-]+)/gm, '$1 ()')
    .replaceAll(/^\s*alias\s+/gm, 'alias ');
}

/** A project that Codex trusts can set variables for commands; hooks do not get them. */
function setsVariables(project: string): boolean {
  for (let folder = project; ; folder = dirname(folder)) {
    const file = join(folder, '.codex', 'config.toml');
    if (existsSync(file) && readBounded(file).includes('shell_environment_policy')) return true;
    if (dirname(folder) === folder) return false;
  }
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
