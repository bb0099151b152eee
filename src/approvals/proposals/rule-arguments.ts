/** The arguments of a call as rules look at them. */

import { isDeepStrictEqual } from 'node:util';
import type { CheckedPath } from '../../kernel/call.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** The only declared argument, if it is an argument by itself and no part of one. */
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

/** Where the path argument at this place leads, if every check of it agrees. */
export function checkedPathAt(at: CheckedPath['at'], paths: readonly CheckedPath[]): string | undefined {
  const found = new Set(paths.filter((each) => isDeepStrictEqual(each.at, at)).map(({ path }) => path));
  const [path] = found;
  return found.size === 1 ? path : undefined;
}
