/** One call as it is written down for `bridle check` and `bridle explain`: a JSON object. */

import { resolve } from 'node:path';
import type { CheckRequest } from '../../../policy-files/loaded-policy.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { closestName } from '../../../kernel/similar-names.ts';

export type CallLineResult =
  | { readonly request: CheckRequest; readonly problem?: undefined }
  | { readonly request?: undefined; readonly problem: string };

/** What a field must be; undefined where it is that. */
type Check = (value: JsonValue) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'is not a text');
const nonEmptyText: Check = (value) => text(value) ?? (value === '' ? 'is empty' : undefined);

/** Arguments are read as the runtime reads them, whatever they are. */
const fields: Readonly<Record<string, Check>> = {
  tool: text,
  server: text,
  args: () => undefined,
  cwd: nonEmptyText,
  state: (value) => (isJsonObject(value) ? stateProblem(value) : 'is not an object'),
};

/** `cwd` is where relative folders start. */
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
  for (const [name, held] of Object.entries(value)) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check === undefined) return `has an unknown key ${quoted(name, Object.keys(fields))}`;
    const problem = check(held);
    if (problem !== undefined) return `has a wrong ${name}: it ${problem}`;
  }
  return Object.hasOwn(value, 'tool') ? undefined : 'has no tool';
}

function stateProblem(state: JsonObject): string | undefined {
  for (const [name, held] of Object.entries(state)) {
    if (name !== 'session' && name !== 'turn') return `has an unknown key ${quoted(name, ['session', 'turn'])}`;
    if (!isJsonObject(held)) return `holds a ${name} that is not an object`;
  }
  return undefined;
}

function quoted(name: string, known: readonly string[]): string {
  const meant = closestName(name, known);
  return `${JSON.stringify(name)}${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}
