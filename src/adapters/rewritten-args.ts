/** Args in a framework's history. */

import { type JsonObject, type JsonValue, sameJson } from '../kernel/json.ts';

/** Makes the framework's history show the args that run. */
export function rewriteArgs(input: unknown, args: JsonObject): void {
  if (typeof input !== 'object' || input === null || Object.isFrozen(input)) return;
  if (sameJson(input as JsonValue, args)) return;
  for (const key of Object.keys(input)) if (!Object.hasOwn(args, key)) Reflect.deleteProperty(input, key);
  Object.assign(input, structuredClone(args));
}
