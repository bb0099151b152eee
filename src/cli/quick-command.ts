/** The commands that start quickly, all of them in one bundle: no library for the command line, no streams. */

import { check, type CheckOptions } from './check-command.ts';
import { BridleError } from '../errors.ts';
import { problemJson, problemText } from './problem-text.ts';
import type { PolicySurroundings } from './policy-options.ts';
import { policyExitCodes } from './policy-exit-codes.ts';
import { writeTo } from './sync-io.ts';

const valued: ReadonlySet<string> = new Set(['policy', 'cwd', 'tool', 'server', 'args']);

const [stdout, stderr] = [1, 2];

interface PlainArguments {
  readonly options: CheckOptions;
  readonly calls: string | undefined;
}

/** The exit code; undefined if the arguments are not plain: help and slips are answered by the long way. */
export async function runQuickCommand(
  argv: readonly string[],
  around: Pick<PolicySurroundings, 'env' | 'cache'>,
): Promise<number | undefined> {
  const plain = plainArguments(argv);
  if (plain === undefined) return undefined;
  try {
    return await check(plain.calls, plain.options, {
      ...around,
      note: (text) => void writeTo(stderr, `bridle: ${text}\n`),
    });
  } catch (error) {
    writeTo(stderr, problemText(error, plain.options.cwd));
    if (plain.options.json === true && error instanceof BridleError) writeTo(stdout, problemJson(error));
    return policyExitCodes.bad;
  }
}

/** Options as they are usually written, and at most one file. */
function plainArguments(argv: readonly string[]): PlainArguments | undefined {
  const options: Record<string, string | boolean> = {};
  const files: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [, name = '', given] = /^--([a-z]+)(?:=(.*))?$/s.exec(argv[i] as string) ?? [];
    if (name === 'json' && given === undefined) options['json'] = true;
    else if (valued.has(name)) {
      const value = given ?? argv[++i];
      if (value === undefined || Object.hasOwn(options, name)) return undefined;
      options[name] = value;
    } else if (argv[i] === '-' || !argv[i]?.startsWith('-')) files.push(argv[i] as string);
    else return undefined;
  }
  return files.length > 1 ? undefined : { options, calls: files[0] };
}
