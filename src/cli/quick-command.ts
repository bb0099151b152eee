/** The commands that must start quickly, bundled into one file: without commander and without streams. */

import { exitCodes } from './command/exit-codes.ts';
import { writeProblem } from './command/problem-text.ts';
import { type CheckInvocation, runCheck } from './policy/check/check-command.ts';

/** The options of `check`, and whether they have a value. A test compares them with its row in the table of commands. */
export const quickFlags: Readonly<Record<string, boolean>> = {
  policy: true,
  cwd: true,
  tool: true,
  server: true,
  args: true,
  json: false,
};

/** Returns the exit code; undefined if the arguments are not simple. Commander then handles them: help, typos. */
export async function run(
  argv: readonly string[],
  context: Pick<CheckInvocation, 'env' | 'cache'>,
): Promise<number | undefined> {
  const simple = readSimpleArguments(argv);
  if (simple === undefined) return undefined;
  try {
    return await runCheck({ ...simple, ...context });
  } catch (error) {
    writeProblem(error, simple.options);
    return exitCodes.usage;
  }
}

/** Reads options in their usual forms and at most one file. */
function readSimpleArguments(argv: readonly string[]): Pick<CheckInvocation, 'positionals' | 'options'> | undefined {
  const options: Record<string, string | boolean> = {};
  const positionals: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string;
    const [, name = '', given] = /^--([a-z]+)(?:=(.*))?$/s.exec(word) ?? [];
    const hasValue = Object.hasOwn(quickFlags, name) ? quickFlags[name] : undefined;
    if (hasValue === false && given === undefined) options[name] = true;
    else if (hasValue === true) {
      const value = given ?? argv[++i];
      if (value === undefined || Object.hasOwn(options, name)) return undefined;
      options[name] = value;
    } else if (word === '-' || !word.startsWith('-')) positionals.push(word);
    else return undefined;
  }
  return positionals.length > 1 ? undefined : { options, positionals };
}
