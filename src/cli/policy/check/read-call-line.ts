/** Reads a call from a line of JSON or from options, for `bridle check` and `bridle explain`. */

import { resolve } from 'node:path';
import type { CheckRequest } from '../../../policy-files/loaded-policy.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../../kernel/json.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import * as is from '../../../kernel/shapes.ts';
import { Invalid } from '../../../kernel/shapes.ts';
import { usageError } from '../../command/command-row.ts';
import { readArgs } from '../../command/read-input.ts';

export type CallLineResult =
  | { readonly request: CheckRequest; readonly problem?: undefined }
  | { readonly request?: undefined; readonly problem: string };

/** `args` are not checked here: the policy validates them as it does at run time. */
const callShape = is.options<Omit<CheckRequest, 'id'>>(
  {
    tool: is.text,
    server: is.text,
    args: is.any,
    cwd: is.nonEmptyText,
    state: is.options({ session: is.anyObject, turn: is.anyObject }),
  },
  { needed: ['tool'] },
);

/** A relative `cwd` in the call is resolved against `cwd`. */
export function readCallLine(line: string, cwd: string): CallLineResult {
  let value: JsonValue;
  try {
    value = JSON.parse(line) as JsonValue;
  } catch (error) {
    return { problem: `is not JSON: ${messageOf(error)}` };
  }
  if (!isJsonObject(value)) return { problem: `is ${kindOf(value)}, not an object with a tool and its args` };
  const request = callShape(value, defaultLimits);
  if (request instanceof Invalid) return { problem: `is invalid: ${request.texts()[0]}` };
  return { request: request.cwd === undefined ? request : { ...request, cwd: resolve(cwd, request.cwd) } };
}

/** The options that give one call. */
export interface CallFlags {
  readonly tool?: string | undefined;
  readonly server?: string | undefined;
  /** As JSON. */
  readonly args?: string | undefined;
}

/** The call given with `--tool`, `--server` and `--args`, as a line of JSON. */
export function callFromFlags(calls: string | undefined, { tool, server, args }: CallFlags): string | undefined {
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
