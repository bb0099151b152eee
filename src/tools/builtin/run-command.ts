import { existsSync } from 'node:fs';
import { BridleError } from '../../kernel/errors.ts';
import { resolvePath } from '../../facts/paths/resolve/resolve-path.ts';
import type { CheckedPath } from '../../kernel/call.ts';
import { checkedFolder, runInFolder } from '../files/checked-argument.ts';
import { agentVariable, isBridleVariable } from '../../files/agent-environment.ts';
import { runBash, type BashResult } from '../processes/run-bash.ts';
import { kib, outputLimit, seconds, type ToolContext } from '../definition/runnable-tool.ts';

export interface CommandOptions {
  /** Absolute path of bash. Default: searched in the usual locations. */
  readonly shell?: string | undefined;
  /** Environment variables for commands, in addition to PATH, HOME, the locale and similar ones. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** After this time a command is killed, and the model gets its output so far. Default: 120,000. */
  readonly commandTimeoutMs?: number | undefined;
}

const usualShells = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash'];
const maxBytes = 256 * kib * kib;
const graceMs = 2 * seconds;

interface CommandArgs {
  readonly command_line: string;
  readonly working_dir?: string;
}

export function runCommand(options: CommandOptions): (args: CommandArgs, context: ToolContext) => Promise<string> {
  const { shell = usualShells.find((path) => existsSync(path)), commandTimeoutMs: timeoutMs = 120 * seconds } = options;
  const base = commandEnvironment(options.env);
  return async ({ command_line: commandLine, working_dir }, context) => {
    if (shell === undefined) throw new BridleError('TOOL_FAILED', 'bash is not installed on this machine.');
    const checked = workingFolder(working_dir, context);
    const keptBytes = Math.floor(outputLimit(context, 64 * kib) / 2);
    const env = { ...base, SHELL: shell, PWD: checked.path };
    const { signal, output: onOutput } = context;
    const end = await runInFolder(checked, (cwd) =>
      runBash({ shell, commandLine, cwd, env, signal, timeoutMs, keptBytes, maxBytes, graceMs, onOutput }),
    );
    if (end.stdout !== '' || end.stderr !== '') onOutput?.('\n');
    return describeResult(end);
  };
}

function workingFolder(given: string | undefined, context: ToolContext): CheckedPath {
  if (given !== undefined) return checkedFolder('working_dir', given, context);
  const resolution = resolvePath(context.cwd);
  if (resolution.type === 'resolved') return resolution.checked;
  throw new BridleError('PATH_REFUSED', `The working folder ${JSON.stringify(context.cwd)} ${resolution.reason}.`);
}

function describeResult({ exitCode, signal, ended, hadBackground, stdout, stderr }: BashResult): string {
  const status =
    ended === undefined
      ? signal === null
        ? `exit code ${exitCode}`
        : `killed by ${signal}`
      : `not finished: stopped by ${ended}`;
  const parts = [`[${status}]`];
  if (hadBackground) parts.push('[processes it left in the background were killed]');
  if (stdout === '' && stderr === '') parts.push('[no output]');
  if (stdout !== '') parts.push(stdout.trimEnd());
  if (stderr !== '') parts.push('[stderr]', stderr.trimEnd());
  return parts.join('\n');
}

/** The environment of commands is an allow-list of variables, so that the agent's secrets do not leak into it. */
const inherited = 'PATH HOME LANG LANGUAGE TMPDIR TZ USER LOGNAME'.split(' ');

/** Non-interactive: no pager, no colors, no password prompt. */
const nonInteractive = { TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', NO_COLOR: '1' };

/** Variables that make bash read files, define functions or parse its input differently (X11). */
const forbidden = /^(BASH.*|ENV|SHELLOPTS|POSIXLY_CORRECT|CDPATH|GLOBIGNORE|PS4|PROMPT_COMMAND)$/;

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** `extra` is added to the inherited variables and may override them. */
function commandEnvironment(
  extra: Readonly<Record<string, string>> = {},
  // Commands need PATH and HOME.
  processEnv: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = { PATH: defaultPath };
  for (const [name, value] of Object.entries(processEnv)) {
    if (value !== undefined && (inherited.includes(name) || name.startsWith('LC_'))) env[name] = value;
  }
  Object.assign(env, nonInteractive);
  for (const [name, value] of Object.entries(extra)) {
    const problem = problemOf(name, value);
    if (problem !== undefined) throw new BridleError('OPTION_INVALID', `env: ${JSON.stringify(name)} ${problem}.`);
    env[name] = value;
  }
  env[agentVariable] = '1';
  return Object.freeze(env);
}

function problemOf(name: string, value: unknown): string | undefined {
  if (forbidden.test(name)) return 'would change how bash parses a command';
  if (isBridleVariable(name)) return 'is reserved for Bridle';
  if (name === '' || /[=\0]/.test(name)) return 'is not a variable name';
  return typeof value === 'string' && !value.includes('\0') ? undefined : 'has a value that is not a string';
}
