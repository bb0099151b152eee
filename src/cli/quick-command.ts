/** The commands that must start quickly, bundled into one file: without commander and without streams. */

import { runCheck, type CheckOptions } from './policy/check/check-command.ts';
import { BridleError } from '../kernel/errors.ts';
import { problemJson, problemText } from './output/problem-text.ts';
import type { PolicyContext } from './options/policy-options.ts';
import { policyExitCodes } from './exit/policy-exit-codes.ts';
import { writeTo } from '../files/blocking-io.ts';

const flagsWithValue: ReadonlySet<string> = new Set(['policy', 'cwd', 'tool', 'server', 'args']);

const [stdout, stderr] = [1, 2];

interface SimpleArguments {
  readonly options: CheckOptions;
  readonly calls: string | undefined;
}

/** Returns the exit code; undefined if the arguments are not simple. Commander then handles them: help, typos. */
export async function runQuickCommand(
  argv: readonly string[],
  context: Pick<PolicyContext, 'env' | 'cache'>,
): Promise<number | undefined> {
  const simple = readSimpleArguments(argv);
  if (simple === undefined) return undefined;
  try {
    return await runCheck(simple.calls, simple.options, {
      ...context,
      note: (text) => void writeTo(stderr, `bridle: ${text}\n`),
    });
  } catch (error) {
    writeTo(stderr, problemText(error, simple.options.cwd));
    if (simple.options.json === true && error instanceof BridleError) writeTo(stdout, problemJson(error));
    return policyExitCodes.invalid;
  }
}

/** Reads options in their usual forms and at most one file. */
function readSimpleArguments(argv: readonly string[]): SimpleArguments | undefined {
  const options: Record<string, string | boolean> = {};
  const files: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [, name = '', given] = /^--([a-z]+)(?:=(.*))?$/s.exec(argv[i] as string) ?? [];
    if (name === 'json' && given === undefined) options['json'] = true;
    else if (flagsWithValue.has(name)) {
      const value = given ?? argv[++i];
      if (value === undefined || Object.hasOwn(options, name)) return undefined;
      options[name] = value;
    } else if (argv[i] === '-' || !argv[i]?.startsWith('-')) files.push(argv[i] as string);
    else return undefined;
  }
  return files.length > 1 ? undefined : { options, calls: files[0] };
}
