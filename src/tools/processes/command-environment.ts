/** The environment of commands: built from a list of names, so that no secret of the agent's own gets into it. */

import { BridleError } from '../../kernel/errors.ts';
import { agentVariable, isBridleVariable } from '../../files/agent-environment.ts';

const inherited = 'PATH HOME LANG LANGUAGE TMPDIR TZ USER LOGNAME'.split(' ');

/** Nobody watches: no pager, no colours, no question for a password. */
const nonInteractive = { TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', NO_COLOR: '1' };

/** What would make bash read files, define functions or read its input in another way (X11). */
const forbidden = /^(BASH.*|ENV|SHELLOPTS|POSIXLY_CORRECT|CDPATH|GLOBIGNORE|PS4|PROMPT_COMMAND)$/;

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** `extra` comes on top of what is inherited and may replace it. */
export function commandEnvironment(
  extra: Readonly<Record<string, string>> = {},
  // The one place of the tools that reads the process's environment: a command needs PATH and HOME to be of any use.
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
  if (forbidden.test(name)) return 'would change how bash reads a command';
  if (isBridleVariable(name)) return 'is of Bridle itself, and not for commands';
  if (name === '' || /[=\0]/.test(name)) return 'is not the name of a variable';
  return typeof value === 'string' && !value.includes('\0') ? undefined : 'has a value that is not a text';
}
