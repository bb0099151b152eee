/** Args that report when a masked value in them is read. */

import { containsMask } from '../../redact/mask-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';

/** Called with the path of the masked value: `args.headers.token`. */
export type OnRead = (where: string) => void;

export function watchArgs(args: JsonObject, tool: ToolDeclaration, onRead: OnRead): JsonObject {
  const watched = watchObject(args, { where: 'args', onRead });
  for (const [alias, name] of Object.entries(tool.aliases?.args ?? {})) {
    if (Object.hasOwn(watched, alias) || !Object.hasOwn(watched, name)) continue;
    Object.defineProperty(watched, alias, { get: () => watched[name] });
  }
  return Object.freeze(watched);
}

interface Watch {
  readonly where: string;
  readonly onRead: OnRead;
}

function watchObject(value: JsonObject, { where, onRead }: Watch): JsonObject {
  const watched: JsonObject = {};
  for (const [name, each] of Object.entries(value))
    defineWatched(watched, name, { value: each, where: `${where}.${name}`, onRead });
  return watched;
}

function watchList(value: readonly JsonValue[], { where, onRead }: Watch): JsonValue {
  const watched: JsonValue[] = [];
  for (const [index, each] of value.entries())
    defineWatched(watched, index, { value: each, where: `${where}[${index}]`, onRead });
  return Object.freeze(watched);
}

function defineWatched(on: object, key: PropertyKey, { value, ...watch }: Watch & { readonly value: JsonValue }): void {
  const get = (): JsonValue => {
    watch.onRead(watch.where);
    return value;
  };
  const isMasked = typeof value === 'string' ? containsMask(value) : hasMaskedName(value);
  const plain = isMasked || !containsMask(value) ? value : watchInside(value, watch);
  Object.defineProperty(on, key, { enumerable: true, ...(isMasked ? { get } : { value: plain }) });
}

function watchInside(value: JsonValue, watch: Watch): JsonValue {
  if (Array.isArray(value)) return watchList(value as readonly JsonValue[], watch);
  return Object.freeze(watchObject(value as JsonObject, watch));
}

/** Listing the fields of such a map reads masked data. */
function hasMaskedName(value: JsonValue): boolean {
  return value !== null && isJsonObject(value) && Object.keys(value).some(containsMask);
}
