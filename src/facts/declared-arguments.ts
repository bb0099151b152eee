/** Finds the declared arguments of a call in its args: paths, commands and URLs (W01). */

import type { CheckedPath } from '../kernel/call.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json.ts';
import { quoteName } from '../kernel/names.ts';

export interface DeclaredArgument {
  readonly at: CheckedPath['at'];
  /** The caller refuses anything but a string. */
  readonly value: JsonValue;
  /** Set if the declaration names a nested property but the value is not an object. The tool might still read the value. */
  readonly problem?: string | undefined;
}

/**
 * Every value the declarations cover. A declaration names properties from the outside in: `edits[].path`. Every item of a
 * list is covered at every level, with or without `[]`. A property whose own name contains a dot is found as well.
 */
export function findDeclaredArguments(args: JsonObject, declared: readonly string[]): readonly DeclaredArgument[] {
  if (declared.length === 0) return none;
  const [name] = declared;
  const plain = declared.length === 1 && name !== undefined ? findPlain(args, name) : undefined;
  if (plain !== undefined) return plain;
  const found = declared.flatMap((each) => descend({ at: [], value: args }, plainName(each)));
  const byPlace = new Map(found.map((argument) => [JSON.stringify([argument.at, argument.problem]), argument]));
  return [...byPlace.values()];
}

const none: readonly DeclaredArgument[] = Object.freeze([]);

/** The fast path for a simple argument; undefined if the general search is needed. */
function findPlain(args: JsonObject, name: string): readonly DeclaredArgument[] | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  const keys = Object.keys(args);
  // Such a key would name the same argument a second time.
  if (keys.some((key) => key.includes('[]'))) return undefined;
  if (!keys.includes(name)) return none;
  const value = args[name] as JsonValue;
  return isList(value) ? undefined : [{ at: [name], value }];
}

/** A declaration or property name without `[]`. */
export function plainName(name: string): string {
  return name.replaceAll('[]', '');
}

/** The position of an argument as text: `edits[0].path`. */
export function argumentPathText(at: CheckedPath['at']): string {
  return at.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

function descend(from: DeclaredArgument, name: string): readonly DeclaredArgument[] {
  const { at, value } = from;
  if (isList(value)) return value.flatMap((item, index) => descend({ at: [...at, index], value: item }, name));
  if (!isJsonObject(value)) return [{ at, value, problem: `is not an object with ${quoteName(name)}` }];
  return Object.keys(value).flatMap((key) => {
    const plain = plainName(key);
    if (plain !== name && !name.startsWith(`${plain}.`)) return [];
    // Reads only declared values: a replay uses that to find out whether a masked value matters.
    const next = { at: [...at, key], value: value[key] as JsonValue };
    return plain === name ? spread(next) : descend(next, name.slice(plain.length + 1));
  });
}

function spread(argument: DeclaredArgument): readonly DeclaredArgument[] {
  const { at, value } = argument;
  return isList(value) ? value.flatMap((item, index) => spread({ at: [...at, index], value: item })) : [argument];
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
