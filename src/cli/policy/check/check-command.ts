/** `bridle check`: decides calls and prints one line of JSON for each. */

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

/** `calls` is a file, or `-` for stdin (the default). */
export async function runCheck(
  calls: string | undefined,
  options: CheckOptions,
  context: PolicyContext,
): Promise<PolicyExitCode> {
  const single = callFromFlags(calls, options);
  const location = findPolicy(options, context);
  const policy = loadEffectivePolicy(location, context);
  let hasOutput = false;
  const write = (text: string): boolean => {
    hasOutput ||= text !== '';
    return writeTo(stdout, text);
  };
  const code = await checkSource(single === undefined ? (calls ?? '-') : singleLine(single), { policy, write });
  if (hasOutput || code !== policyExitCodes.ok) return code;
  // An empty input must not look like "all allowed".
  throw usageError(
    `there are no calls ${inputName(calls)}: write one call per line, or give one with --tool and --args`,
  );
}

function inputName(calls = '-'): string {
  return calls === '-' ? 'on stdin' : `in ${JSON.stringify(calls)}`;
}

async function checkSource(calls: string | LineSource, session: CheckSession): Promise<PolicyExitCode> {
  if (typeof calls !== 'string') return checkCalls(calls, session);
  if (calls === '-') return checkCalls(new LineReader(readFrom(stdin), maxCallLineBytes), session);
  const file = openInput(calls, 'the calls');
  try {
    return await checkCalls(new LineReader(readFrom(file), maxCallLineBytes), session);
  } finally {
    closeSync(file);
  }
}

/** The call given with `--tool`, `--server` and `--args`, as a line of JSON. */
export function callFromFlags(calls: string | undefined, { tool, server, args }: CheckOptions): string | undefined {
  if (tool === undefined) {
    if (args !== undefined || server !== undefined) throw usageError('--args and --server need --tool');
    return undefined;
  }
  if (calls !== undefined)
    throw usageError(`${JSON.stringify(calls)} and --tool both give a call: leave one of them out`);
  const call = server === undefined ? splitToolName(tool) : { tool, server };
  return JSON.stringify(args === undefined ? call : { ...call, args: readArgs(args) });
}

/** Splits `server/tool`, the form used in rules. */
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
  throw usageError(`--args must be an object such as {"command_line": "ls"}, not ${kindOf(args)}`);
}

function singleLine(text: string): LineSource {
  const batches = [[{ number: 1, text }]];
  return { next: () => batches.pop() };
}
