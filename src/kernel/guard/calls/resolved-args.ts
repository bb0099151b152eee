import type { CheckedPath } from '../../call.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';

/** The args with each path replaced by the resolved one that was checked, for tools that open files themselves. */
export function resolvedArgs(args: JsonObject, paths: readonly CheckedPath[]): JsonObject {
  return paths.reduce((copy, checked) => replace(copy, checked.at, checked.path), args as JsonValue) as JsonObject;
}

function replace(value: JsonValue, at: CheckedPath['at'], path: string): JsonValue {
  const [step, ...rest] = at;
  if (step === undefined) return path;
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item: JsonValue, index) => (index === step ? replace(item, rest, path) : item)));
  }
  const inner = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  if (inner === undefined) return value;
  return Object.freeze({ ...(value as JsonObject), [step]: replace(inner, rest, path) });
}
