/** Helpers for comparing the arguments of calls. */

import { isDeepStrictEqual } from 'node:util';
import type { CheckedPath } from '../../kernel/call.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** The only declared argument, if it is a whole argument and not a part of one. */
export function onlyArgument(declared: readonly string[]): string | undefined {
  const [name] = declared;
  return declared.length === 1 && name !== undefined && isPlainName(name) ? name : undefined;
}

export function isPlainName(name: string): boolean {
  return /^\w+$/.test(name);
}

export function withoutArguments(args: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

/** The path that the argument at this place was resolved to, if all checks agree. */
export function checkedPathAt(at: CheckedPath['at'], paths: readonly CheckedPath[]): string | undefined {
  const found = new Set(paths.filter((each) => isDeepStrictEqual(each.at, at)).map(({ path }) => path));
  const [path] = found;
  return found.size === 1 ? path : undefined;
}
