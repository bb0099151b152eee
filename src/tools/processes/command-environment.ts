/** The environment of commands: an allow-list of variables, so that the agent's secrets do not leak into it. */

import { BridleError } from '../../kernel/errors.ts';
import { agentVariable, isBridleVariable } from '../../files/agent-environment.ts';

const inherited = 'PATH HOME LANG LANGUAGE TMPDIR TZ USER LOGNAME'.split(' ');

/** Non-interactive: no pager, no colors, no password prompt. */
const nonInteractive = { TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', NO_COLOR: '1' };

/** Variables that make bash read files, define functions or parse its input differently (X11). */
const forbidden = /^(BASH.*|ENV|SHELLOPTS|POSIXLY_CORRECT|CDPATH|GLOBIGNORE|PS4|PROMPT_COMMAND)$/;

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** `extra` is added to the inherited variables and may override them. */
export function commandEnvironment(
  extra: Readonly<Record<string, string>> = {},
  // The only place in the tools that reads the process environment: commands need PATH and HOME.
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
