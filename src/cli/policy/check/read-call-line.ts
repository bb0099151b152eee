/** Parses and validates a call written as a line of JSON, for `bridle check` and `bridle explain`. */

import { resolve } from 'node:path';
import type { CheckRequest } from '../../../policy-files/loaded-policy.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { closestName } from '../../../kernel/similar-names.ts';

export type CallLineResult =
  | { readonly request: CheckRequest; readonly problem?: undefined }
  | { readonly request?: undefined; readonly problem: string };

/** Returns what is wrong with a field's value; undefined if it is valid. */
type Check = (value: JsonValue) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'is not a string');
const nonEmptyText: Check = (value) => text(value) ?? (value === '' ? 'is empty' : undefined);

/** `args` are not checked here: the policy validates them as it does at run time. */
const fields: Readonly<Record<string, Check>> = {
  tool: text,
  server: text,
  args: () => undefined,
  cwd: nonEmptyText,
  state: (value) => (isJsonObject(value) ? stateProblem(value) : 'is not an object'),
};

/** A relative `cwd` in the call is resolved against `cwd`. */
export function readCallLine(line: string, cwd: string): CallLineResult {
  let value: JsonValue;
  try {
    value = JSON.parse(line) as JsonValue;
  } catch (error) {
    return { problem: `is not JSON: ${messageOf(error)}` };
  }
  if (!isJsonObject(value)) return { problem: `is ${kindOf(value)}, not an object with a tool and its args` };
  const problem = problemOf(value);
  if (problem !== undefined) return { problem };
  const request = value as unknown as CheckRequest;
  return { request: request.cwd === undefined ? request : { ...request, cwd: resolve(cwd, request.cwd) } };
}

function problemOf(value: JsonObject): string | undefined {
  for (const [name, field] of Object.entries(value)) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check === undefined) return `has an unknown key ${quoteWithHint(name, Object.keys(fields))}`;
    const problem = check(field);
    if (problem !== undefined) return `has an invalid ${name}: it ${problem}`;
  }
  return Object.hasOwn(value, 'tool') ? undefined : 'has no tool';
}

function stateProblem(state: JsonObject): string | undefined {
  for (const [name, field] of Object.entries(state)) {
    if (name !== 'session' && name !== 'turn') return `has an unknown key ${quoteWithHint(name, ['session', 'turn'])}`;
    if (!isJsonObject(field)) return `has a ${name} that is not an object`;
  }
  return undefined;
}

function quoteWithHint(name: string, known: readonly string[]): string {
  const meant = closestName(name, known);
  return `${JSON.stringify(name)}${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}
