/** `bridle check`: what a policy says of calls, one line of JSON for each. */

import { closeSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { kindOf } from '../kind-of.ts';
import { checkCalls, type CheckRun, type LineSource } from './check-calls.ts';
import { LineReader, mostCallBytes } from './json-lines.ts';
import { openInput } from './open-input.ts';
import { type PolicyExitCode, policyExitCodes } from './policy-exit-codes.ts';
import { findPolicy, openPolicy, type PolicyOptions, type PolicySurroundings } from './policy-options.ts';
import { wrong } from './wrong-use.ts';
import { readFrom, writeTo } from './sync-io.ts';

export interface CheckOptions extends PolicyOptions {
  readonly tool?: string | undefined;
  readonly server?: string | undefined;
  /** As JSON. */
  readonly args?: string | undefined;
}

const [stdin, stdout] = [0, 1];

/** `calls` is a file of calls, or `-` for stdin, which is also what is read if nothing is named. */
export async function check(
  calls: string | undefined,
  options: CheckOptions,
  surroundings: PolicySurroundings,
): Promise<PolicyExitCode> {
  const single = singleCall(calls, options);
  const named = findPolicy(options, surroundings);
  const policy = openPolicy(named, surroundings);
  let isAsked = false;
  const write = (text: string): boolean => {
    isAsked ||= text !== '';
    return writeTo(stdout, text);
  };
  const code = await answerAll(single === undefined ? (calls ?? '-') : oneLine(single), { policy, write });
  if (isAsked || code !== policyExitCodes.ok) return code;
  // Nothing was checked, so nothing is known to be allowed.
  throw wrong(`there are no calls ${whereIn(calls)}: write one call per line, or name one with --tool and --args`);
}

function whereIn(calls = '-'): string {
  return calls === '-' ? 'on stdin' : `in ${JSON.stringify(calls)}`;
}

async function answerAll(calls: string | LineSource, run: CheckRun): Promise<PolicyExitCode> {
  if (typeof calls !== 'string') return checkCalls(calls, run);
  if (calls === '-') return checkCalls(new LineReader(readFrom(stdin), mostCallBytes), run);
  const file = openInput(calls, 'the file of calls');
  try {
    return await checkCalls(new LineReader(readFrom(file), mostCallBytes), run);
  } finally {
    closeSync(file);
  }
}

/** The call that the options name, as a line. */
export function singleCall(calls: string | undefined, { tool, server, args }: CheckOptions): string | undefined {
  if (tool === undefined) {
    if (args !== undefined || server !== undefined)
      throw wrong('--args and --server need --tool: name the tool of the call');
    return undefined;
  }
  if (calls !== undefined)
    throw wrong(`--tool names the call, so there is nothing for ${JSON.stringify(calls)} to be: leave one of them out`);
  const call = server === undefined ? pairOf(tool) : { tool, server };
  return JSON.stringify(args === undefined ? call : { ...call, args: readArgs(args) });
}

/** `server/tool`, as rules write it. */
export function pairOf(text: string): { readonly tool: string; readonly server?: string } {
  const at = text.indexOf('/');
  return at < 1 ? { tool: text } : { tool: text.slice(at + 1), server: text.slice(0, at) };
}

function readArgs(text: string): JsonValue {
  let args: JsonValue;
  try {
    args = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw wrong(`--args is not JSON: ${messageOf(error)}`);
  }
  if (isJsonObject(args)) return args;
  throw wrong(`--args is ${kindOf(args)}, not an object such as {"command_line": "ls"}`);
}

function oneLine(text: string): LineSource {
  const batches = [[{ number: 1, text }]];
  return { next: () => batches.pop() };
}
