/** Checking what plain JavaScript may get wrong: which fields an object may have, and what each of them may hold. */

import type { Grant } from '../call.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { meant, quoteName } from './names.ts';

/** What is wrong with a value, as it reads on after its name. */
export type Check = (value: unknown) => string | undefined;

/** A check for every field there is. */
export type Checks<T extends object> = { readonly [Field in keyof T]-?: Check };

/** Every field that is not known, does not hold what it should, or is needed and missing. Inherited ones count too. */
export function fieldProblems<T extends object>(
  given: object,
  checks: Checks<T>,
  needed: readonly (keyof T)[] = [],
): string[] {
  const known = Object.keys(checks) as (keyof T & string)[];
  const wrong = known.flatMap((field) => {
    const value: unknown = (given as Partial<T>)[field];
    const missing = needed.includes(field) ? 'is missing' : undefined;
    const problem = value === undefined ? missing : checks[field](value);
    return problem === undefined ? [] : [`"${field}" ${problem}`];
  });
  return [...unknownFields(given, known), ...wrong];
}

export function unknownFields(given: object, known: readonly string[]): string[] {
  return Object.keys(given)
    .filter((field) => !known.includes(field))
    .map((field) => `${quoteName(field)} is not known${meant(field, known)}`);
}

/** The fields of an object that may be of any kind, read by name and once: what is checked is what is kept. */
export function pick<T extends object>(given: T, fields: readonly string[]): T {
  return Object.fromEntries(fields.map((field) => [field, given[field as keyof T]])) as T;
}

/** A check by one condition. */
export function is(what: string, holds: (value: never) => boolean): Check {
  return (value) =>
    holds(value as never)
      ? undefined
      : `is ${typeof value === 'number' ? String(value) : quoteName(value)}, not ${what}`;
}

export const anything: Check = () => undefined;
export const list = is('a list', Array.isArray);
export const callable = is('a function', (value) => typeof value === 'function');
export const flag = is('true or false', (value) => typeof value === 'boolean');
export const text = is('a text', (value) => typeof value === 'string');
export const object = is('an object', isRecord);
export const milliseconds = is('a number of milliseconds above 0', isAbove0);
export const names = is('a list of names', (value: unknown) => Array.isArray(value) && value.every(isFilled));

/** An object with just these fields. */
export function fields<T extends object>(checks: Checks<T>): Check {
  return (value) => object(value) ?? joined(fieldProblems(value as object, checks));
}

/** An object whose fields all hold the same, under whatever names. */
export function each(check: Check): Check {
  return (value) => object(value) ?? joined(fieldProblems(value as object, Object.fromEntries(…)));
}
