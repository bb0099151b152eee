/** `bridle check`: what a policy says of calls, one line of JSON for each. */

import { closeSync, openSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { checkCalls, type LineSource } from './check-calls.ts';
import { LineReader, mostCallBytes } from './json-lines.ts';
import type { PolicyExitCode } from './policy-exit-codes.ts';
import { findPolicy, openPolicy, type PolicyOptions, type PolicySurroundings, wrong } from './policy-options.ts';
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
  const run = { policy, write: (text: string) => writeTo(stdout, text) };
  if (single !== undefined) return checkCalls(oneLine(single), run);
  if (calls === undefined || calls === '-') return checkCalls(new LineReader(readFrom(stdin), mostCallBytes), run);
  const file = openCalls(calls);
  try {
    return await checkCalls(new LineReader(readFrom(file), mostCallBytes), run);
  } finally {
    closeSync(file);
  }
}

/** The call that the options name, as a line. */
export function singleCall(calls: string | undefined, { tool, server, args }: CheckOptions): string | undefined {
  if (tool === undefined) {
    if (args !== undefined || server !== undefined) throw wrong('--args and --server belong to a --tool');
    return undefined;
  }
  if (calls !== undefined) throw wrong('--tool asks about one call: leave the file of calls out');
  const call = { tool, ...(server === undefined ? {} : { server }) };
  if (args === undefined) return JSON.stringify(call);
  try {
    return JSON.stringify({ ...call, args: JSON.parse(args) as unknown });
  } catch (error) {
    throw wrong(`--args is not JSON: ${messageOf(error)}`);
  }
}

function oneLine(text: string): LineSource {
  const batches = [[{ number: 1, text }]];
  return { next: () => batches.pop() };
}

function openCalls(calls: string): number {
  try {
    return openSync(calls, 'r');
  } catch (error) {
    throw wrong(`the calls cannot be read: ${messageOf(error)}`);
  }
}
