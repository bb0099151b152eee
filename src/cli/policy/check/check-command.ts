/** `bridle check`: what a policy says of calls, one line of JSON for each. */

import { closeSync } from 'node:fs';
import { messageOf } from '../../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../../kernel/json.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { checkCalls, type CheckSession, type LineSource } from './check-calls.ts';
import { LineReader, maxCallLineBytes } from '../../../files/line-reader.ts';
import { openInput } from '../../options/open-input.ts';
import { type PolicyExitCode, policyExitCodes } from '../../exit/policy-exit-codes.ts';
import {
  findPolicy,
  loadEffectivePolicy,
  type PolicyOptions,
  type PolicyContext,
} from '../../options/policy-options.ts';
import { usageError } from '../../options/usage-error.ts';
import { readFrom, writeTo } from '../../../files/blocking-io.ts';

export interface CheckOptions extends PolicyOptions {
  readonly tool?: string | undefined;
  readonly server?: string | undefined;
  /** As JSON. */
  readonly args?: string | undefined;
}

const [stdin, stdout] = [0, 1];

/** `calls` is a file of calls, or `-` for stdin, which is also what is read if nothing is named. */
export async function runCheck(
  calls: string | undefined,
  options: CheckOptions,
  surroundings: PolicyContext,
): Promise<PolicyExitCode> {
  const single = callFromFlags(calls, options);
  const named = findPolicy(options, surroundings);
  const policy = loadEffectivePolicy(named, surroundings);
  let hasOutput = false;
  const write = (text: string): boolean => {
    hasOutput ||= text !== '';
    return writeTo(stdout, text);
  };
  const code = await checkSource(single === undefined ? (calls ?? '-') : singleLine(single), { policy, write });
  if (hasOutput || code !== policyExitCodes.ok) return code;
  // Nothing was checked, so nothing is known to be allowed.
  throw usageError(
    `there are no calls ${inputName(calls)}: write one call per line, or name one with --tool and --args`,
  );
}

function inputName(calls = '-'): string {
  return calls === '-' ? 'on stdin' : `in ${JSON.stringify(calls)}`;
}

async function checkSource(calls: string | LineSource, run: CheckSession): Promise<PolicyExitCode> {
  if (typeof calls !== 'string') return checkCalls(calls, run);
  if (calls === '-') return checkCalls(new LineReader(readFrom(stdin), maxCallLineBytes), run);
  const file = openInput(calls, 'the file of calls');
  try {
    return await checkCalls(new LineReader(readFrom(file), maxCallLineBytes), run);
  } finally {
    closeSync(file);
  }
}

/** The call that the options name, as a line. */
export function callFromFlags(calls: string | undefined, { tool, server, args }: CheckOptions): string | undefined {
  if (tool === undefined) {
    if (args !== undefined || server !== undefined)
      throw usageError('--args and --server need --tool: name the tool of the call');
    return undefined;
  }
  if (calls !== undefined)
    throw usageError(
      `--tool names the call, so there is nothing for ${JSON.stringify(calls)} to be: leave one of them out`,
    );
  const call = server === undefined ? splitToolName(tool) : { tool, server };
  return JSON.stringify(args === undefined ? call : { ...call, args: readArgs(args) });
}

/** `server/tool`, as rules write it. */
export function splitToolName(text: string): { readonly tool: string; readonly server?: string } {
  const at = text.indexOf('/');
  return at < 1 ? { tool: text } : { tool: text.slice(at + 1), server: text.slice(0, at) };
}

function readArgs(text: string): JsonValue {
  let args: JsonValue;
  try {
    args = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw usageError(`--args is not JSON: ${messageOf(error)}`);
  }
  if (isJsonObject(args)) return args;
  throw usageError(`--args is ${kindOf(args)}, not an object such as {"command_line": "ls"}`);
}

function singleLine(text: string): LineSource {
  const batches = [[{ number: 1, text }]];
  return { next: () => batches.pop() };
}
