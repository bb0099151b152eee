/** Which shell Claude Code runs commands in, and what the user's startup files change there. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { HostEnv } from '../host.ts';
import { isPortableCommand } from '../portable-command.ts';
import { changesCommands, harmfulVariables } from '../shell-environment.ts';
import { changesLine, inProject, runsProjectPrograms } from '../startup-changes.ts';

const maxSnapshots = 64;
const maxBytes = 4 * 1024 * 1024;

interface ShellPlace {
  readonly env: HostEnv;
  readonly project: string;
  readonly session: string;
}

/** True if facts about bash hold for the line in this session; otherwise why they do not. */
export function confirmsBash(line: string, place: ShellPlace): true | string {
  const { env, project, session } = place;
  const shell = findShell(env);
  if (shell === undefined || env['CLAUDE_CODE_SHELL_PREFIX']) return 'Claude Code uses another shell than bash or zsh';
  if (changesCommands(env, line)) return 'a variable such as BASH_ENV changes what bash does';
  // Startup files of the repository must not run.
  if (`${env['HOME'] ?? ''}/`.startsWith(`${project}/`)) return 'the home folder is inside the project';
  const settings = ['settings.json', 'settings.local.json'].map((name) => join('.claude', name));
  const harmful = settings.find((name) => setsHarmful(join(project, name)));
  if (harmful !== undefined) return `${harmful} sets variables that change what commands run, or cannot be read`;
  const kind = basename(shell);
  if (kind !== 'bash' && !isPortableCommand(line)) return `the line may mean something else in ${kind} than in bash`;
  if (hooksChangeCommands(env, session)) return 'a hook changes the environment of commands (CLAUDE_ENV_FILE)';
  const definitions = readSnapshots(kind, env) ?? askShell(shell, place);
  if (definitions === undefined) return 'the startup files of the shell could not be read';
  if (definitions.some((text) => changesLine(text, line))) return 'an alias, a function or an option changes it';
  return runsProjectPrograms(line, env, project) ? inProject : true;
}

/**
 * The variables in `env` of a settings file of the repository are set for every command, and for the hook. Claude Code
 * reads files that start with a byte order mark. What it does with other files that are not JSON is not known.
 */
function setsHarmful(file: string): boolean {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return existsSync(file);
  }
  if (text.trim() === '') return false;
  try {
    const { env } = JSON.parse(text) as { readonly env?: Readonly<Record<string, unknown>> | null };
    return harmfulVariables(env ?? {}).length > 0;
  } catch {
    return true;
  }
}

/** A repository can set SHELL and CLAUDE_CODE_SHELL, so that only these places count. */
const systemFolders = ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/run/current-system/sw/bin'];

/** bash or zsh; undefined if it is another shell, or none is found. */
function findShell({ CLAUDE_CODE_SHELL: set, SHELL: usual }: HostEnv): string | undefined {
  const shell = set || usual || '';
  if (existsSync(shell) && /\/(?:bash|zsh)$/.test(shell))
    return systemFolders.includes(dirname(shell)) ? shell : undefined;
  if (set) return undefined;
  return ['zsh', 'bash'].flatMap((name) => systemFolders.map((folder) => join(folder, name))).find(existsSync);
}

/**
 * The snapshots of all running sessions: the name does not say which session it belongs to. Undefined if there is none,
 * because Claude Code writes it when the first command of a session runs.
 */
function readSnapshots(kind: string, env: HostEnv): readonly string[] | undefined {
  const folder = join(claudeHome(env), 'shell-snapshots');
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(`snapshot-${kind}-`));
    const paths = names.map((name) => join(folder, name));
    if (paths.length === 0) return undefined;
    const bytes = paths.length > maxSnapshots ? Infinity : paths.reduce((sum, path) => sum + statSync(path).size, 0);
    // A text that changes every line.
    return bytes > maxBytes ? ['base64 -d'] : paths.map((path) => readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

const harmlessLine = /^(?:#.*|export ([A-Za-z_]\w*)=('[^']*'|"[^"$`\\]*"|[\w.,:/@%+-]*))?$/;

/** Hooks can write files that Claude Code runs before every command of the session (CLAUDE_ENV_FILE). */
function hooksChangeCommands(env: HostEnv, session: string): boolean {
  const folder = join(claudeHome(env), 'session-env', basename(session));
  try {
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    return texts
      .flatMap((text) => text.split('\n'))
      .some((line) => {
        const [match, name, value = ''] = harmlessLine.exec(line.trim()) ?? [];
        if (match === undefined) return true;
        return name === 'IFS' || harmfulVariables({ [name ?? '']: value.replaceAll(/^["']|["']$/g, '') }).length > 0;
      });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function claudeHome(env: HostEnv): string {
  return env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] ?? '', '.claude');
}

/** Prints definitions in the form of a snapshot, after the startup files that Claude Code reads. */
const scripts: Readonly<Record<string, string>> = {
  bash: `. ~/.bashrc >/dev/null 2>&1 </dev/null
builtin echo; builtin alias -p; builtin shopt -p; builtin set +o
builtin compgen -A function | while builtin read -r name; do builtin echo "$name () "; done; builtin echo '# end'`,
  zsh: `. ~/.zshrc >/dev/null 2>&1 </dev/null
builtin print; builtin alias -L; builtin print -l -- "setopt "\${^$(builtin setopt)}
builtin print -l -- \${(k)^functions}" () "; builtin print '# end'`,
};

/**
 * Undefined if the shell does not answer in time. A repository can set variables; the startup files must not run programs
 * or libraries of it here.
 */
function askShell(shell: string, { env, project }: ShellPlace): readonly string[] | undefined {
  const kept = Object.entries(env).filter(([name]) =>
    /^(?:HOME|USER|LOGNAME|LANG|LC_\w+|TERM|TMPDIR|XDG_\w+)$/.test(name),
  );
  const path = (env['PATH'] ?? '').split(':').filter((folder) => isAbsolute(folder) && !folder.startsWith(project));
  const { stdout } = spawnSync(shell, ['-l', '-c', scripts[basename(shell)] ?? ''], {
    env: { ...Object.fromEntries(kept), SHELL: shell, PATH: path.join(':') },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 3000,
    maxBuffer: maxBytes,
    encoding: 'utf8',
  });
  return typeof stdout === 'string' && stdout.endsWith('# end\n') ? [stdout] : undefined;
}
