/** Finds the declared path arguments of a call in its args (W01). */

import type { CheckedPath } from '../call.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { quote } from './quote.ts';

export interface PathArgument {
  readonly at: CheckedPath['at'];
  /** Anything but a string is a mistake that whoever checks the path will refuse. */
  readonly value: JsonValue;
  /** Set where the declaration goes on inside and there is nothing to go into: a tool might still read it somehow. */
  readonly problem?: string | undefined;
}

/**
 * Every value the declarations cover. A declaration names properties from the outside in: `edits[].path`. Lists are
 * covered whole at every level with or without `[]`, and a property whose own name holds a dot is found as well.
 */
export function findPathArguments(args: JsonObject, declared: readonly string[]): readonly PathArgument[] {
  const found = declared.flatMap((name) => descend({ at: [], value: args }, plainName(name)));
  const byPlace = new Map(found.map((argument) => [JSON.stringify([argument.at, argument.problem]), argument]));
  return [...byPlace.values()];
}

/** A declaration or the name of a property, without the marks for lists. */
export function plainName(name: string): string {
  return name.replaceAll('[]', '');
}

/** `edits[0].path`, as a person would write it. */
export function showPlace(at: CheckedPath['at']): string {
  return at.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

function descend(from: PathArgument, name: string): readonly PathArgument[] {
  const { at, value } = from;
  if (isList(value)) return value.flatMap((item, index) => descend({ at: [...at, index], value: item }, name));
  if (!isJsonObject(value)) return [{ at, value, problem: `is not an object with a path at ${quote(name)}` }];
  return Object.entries(value).flatMap(([key, inner]) => {
    const plain = plainName(key);
    const next = { at: [...at, key], value: inner };
    if (plain === name) return spread(next);
    return name.startsWith(`${plain}.`) ? descend(next, name.slice(plain.length + 1)) : [];
  });
}

function spread(argument: PathArgument): readonly PathArgument[] {
  const { at, value } = argument;
  return isList(value) ? value.flatMap((item, index) => spread({ at: [...at, index], value: item })) : [argument];
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
