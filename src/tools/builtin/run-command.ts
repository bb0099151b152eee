import { existsSync } from 'node:fs';
import { BridleError } from '../../kernel/errors.ts';
import { resolvePath } from '../../facts/paths/resolve/resolve-path.ts';
import type { CheckedPath } from '../../kernel/call.ts';
import { checkedFolder } from '../files/checked-argument.ts';
import { commandEnvironment } from '../processes/command-environment.ts';
import { runInFolder } from '../files/run-in-folder.ts';
import { outputLimit } from '../definition/output-limit.ts';
import { runBash, type BashResult } from '../processes/run-bash.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';
import { argsSchema, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

export const runCommandTool: BuiltinToolSpec = {
  name: 'run_command',
  description:
    'Runs a command line in bash and returns its exit code, stdout and stderr. It has no stdin. Processes ' +
    'left in the background are killed when the command ends. Long output is cut in the middle.',
  tier: 'confirm',
  schema: argsSchema(
    {
      command_line: { type: 'string', minLength: 1, description: 'The command line for bash.' },
      working_dir: { type: 'string', minLength: 1, description: 'The folder to run it in.' },
    },
    ['command_line'],
  ),
  paths: ['working_dir'],
  commands: ['command_line'],
  touches: { bash: ['command_line'], folder: 'working_dir' },
  aliases: { names: ['RUN_COMMAND'], args: { CommandLine: 'command_line', Cwd: 'working_dir' } },
  grant: { timeoutMs: 600 * seconds, outputBytes: 64 * kib },
};

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
    const { signal } = context;
    const end = await runInFolder(checked, (cwd) =>
      runBash({ shell, commandLine, cwd, env, signal, timeoutMs, keptBytes, maxBytes, graceMs }),
    );
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
