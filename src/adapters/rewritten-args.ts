/** Args in a framework's history, and args for its tools. */

import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json.ts';
import { sameData } from './same-data.ts';

/** Makes the framework's history show the args that run. */
export function rewriteArgs(input: unknown, args: JsonObject): void {
  if (typeof input !== 'object' || input === null || Object.isFrozen(input)) return;
  if (sameData(input, args)) return;
  for (const key of Object.keys(input)) if (!Object.hasOwn(args, key)) Reflect.deleteProperty(input, key);
  Object.assign(input, changeableArgs(args));
}

/** A copy of decided args: a tool may change its own args. `structuredClone` takes many times as long. */
export function changeableArgs(args: JsonObject): JsonObject {
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(args)) copy[key] = changeable(args[key] as JsonValue);
  return copy;
}

function changeable(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  return isJsonObject(value) ? changeableArgs(value) : value.map(changeable);
}
