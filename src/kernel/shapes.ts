/**
 * The shapes of data from outside: options, hook answers, declarations, rules, files. A shape reads a value once and returns
 * a checked, frozen copy, or all problems, each with its path in the value.
 */

import type { Grant } from './call.ts';
import type { Clock } from './clock.ts';
import { BridleError } from './errors.ts';
import { copyJson, fitsBytes, isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { kindOf } from './kind-of.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { didYouMean, nameProblem, quoteName } from './names.ts';
import { misspelledField } from './similar-names.ts';

/** True for an object that is not an array. */
export function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One problem. `text` continues a sentence that starts with the place: `is missing`. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

export class Invalid {
  constructor(readonly problems: readonly Problem[]) {}

  /** The same problems, in a value that has this one at `key`. */
  under(key: string | number): Invalid {
    return new Invalid(this.problems.map(({ path, text }) => ({ path: [key, ...path], text })));
  }

  /** Each problem as a sentence: `"grant.timeoutMs" is 0, not a finite number above 0`. */
  texts(): string[] {
    return this.problems.map(({ path, text }) => (path.length === 0 ? text : `${quoteName(pathText(path))} ${text}`));
  }

  /** The first problem: `"value.text" of the answer is missing`. */
  textAbout(what: string): string {
    const [{ path, text }] = this.problems as readonly [Problem];
    return path.length === 0 ? `${what} ${text}` : `${quoteName(pathText(path))} of ${what} ${text}`;
  }
}

export type Shape<T> = (value: unknown, limits: Limits) => T | Invalid;

/** One shape for every field of a type. */
export type ShapesOf<T extends object> = { readonly [Field in keyof T]-?: Shape<unknown> };

/** A hostile value may have any number of problems. */
const maxProblems = 100;
const noProblems: readonly Problem[] = [];

export function invalid(text: string): Invalid {
  return new Invalid([{ path: [], text }]);
}

/** Shows numbers, but no text: it may be a secret. */
function mismatch(value: unknown, what: string): Invalid {
  if (value === undefined) return invalid('is missing');
  const shown = typeof value === 'number' ? value : value === '' ? 'an empty string' : kindOf(value);
  return invalid(`is ${shown}, not ${what}`);
}

function pathText(path: Problem['path']): string {
  return path.map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`)).join('');
}

/** A value that meets one condition. */
export function that<T>(what: string, isValid: (value: unknown) => boolean): Shape<T> {
  return (value) => (isValid(value) ? (value as T) : mismatch(value, what));
}

/** A value for which `problemOf` returns no problem. */
export function without<T>(problemOf: (value: unknown) => string | undefined): Shape<T> {
  return (value) => {
    const problem = problemOf(value);
    return problem === undefined ? (value as T) : invalid(value === undefined ? 'is missing' : problem);
  };
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, limits) => (value === undefined ? undefined : shape(value, limits));
}

export function oneOf<const T extends string>(...known: readonly T[]): Shape<T> {
  const quoted = known.map((each) => `"${each}"`);
  const what = quoted.join(', ').replace(/, ([^,]*)$/, ' or $1');
  return (value) => {
    if ((known as readonly unknown[]).includes(value)) return value as T;
    return typeof value === 'string' ? invalid(`is ${quoteName(value)}, not ${what}`) : mismatch(value, what);
  };
}

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value, limits) => {
    if (!Array.isArray(value)) return mismatch(value, 'a list');
    const { length } = value;
    if (length > limits.answerBytes) return invalid('is too long');
    const copy: T[] = [];
    const problems: Problem[] = [];
    // By index, because a list may have holes or a custom iterator.
    for (let index = 0; index < length && problems.length < maxProblems; index++) {
      const read = item(value[index], limits);
      if (read instanceof Invalid) problems.push(...read.under(index).problems);
      else copy.push(read);
    }
    return problems.length > 0 ? new Invalid(problems) : Object.freeze(copy);
  };
}

export function nonEmptyList<T>(item: Shape<T>): Shape<readonly T[]> {
  const all = list(item);
  return (value, limits) => {
    const read = all(value, limits);
    return read instanceof Invalid || read.length > 0 ? read : invalid('is empty');
  };
}

interface RecordRules {
  /** The only fields that may not be undefined. */
  readonly needed?: readonly string[];
  /** The object may have other fields. Only a field that looks like a misspelled known one is a problem. */
  readonly open?: boolean;
  /** What to say about an unknown field. */
  readonly unknown?: (field: string, known: readonly string[]) => string;
}

/** An object with these fields. Inherited fields are read, too. */
export function record<T extends object>(
  shapes: { readonly [Field in keyof T]-?: Shape<T[Field]> },
  rules: RecordRules = {},
): Shape<T> {
  const fields = Object.keys(shapes) as (keyof T & string)[];
  const isRequired = fields.map((field) => rules.needed?.includes(field) ?? true);
  return (value, limits) => {
    if (!isRecord(value)) return mismatch(value, 'an object');
    let problems = unknownFields(value, fields, rules);
    const copy: Record<string, unknown> = {};
    // Performance matters: a policy may have a hundred thousand rules.
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] as keyof T & string;
      const given = (value as Partial<T>)[field];
      if (given === undefined && isRequired[index] !== true) continue;
      const read = shapes[field](given, limits);
      if (read instanceof Invalid) problems = [...problems, ...read.under(field).problems];
      else if (read !== undefined) copy[field] = read;
    }
    return problems.length > 0 ? new Invalid(problems) : (Object.freeze(copy) as T);
  };
}

/** An object of options: all fields are optional, except `needed`. */
export function options<T extends object>(shapes: ShapesOf<T>, rules: RecordRules = {}): Shape<T> {
  return record(shapes as Parameters<typeof record<T>>[0], { needed: [], ...rules });
}

function unknownFields(value: object, known: readonly string[], { open, unknown }: RecordRules): readonly Problem[] {
  if (open === true) {
    const slip = misspelledField(value, known);
    return slip === undefined
      ? noProblems
      : [{ path: [slip.field], text: `is not known; did you mean "${slip.meant}"?` }];
  }
  const given = Object.keys(value);
  if (given.every((field) => known.includes(field))) return noProblems;
  const others = given.filter((field) => !known.includes(field));
  return others.slice(0, maxProblems).map((field) => ({
    path: [field],
    text: unknown?.(field, known) ?? `is not known${didYouMean(field, known)}`,
  }));
}

/** An object with any field names and values of one shape. */
export function map<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value, limits) => {
    if (!isRecord(value)) return mismatch(value, 'an object');
    const entries: (readonly [string, T])[] = [];
    const problems: Problem[] = [];
    for (const field of Object.keys(value)) {
      const read = item((value as Record<string, unknown>)[field], limits);
      if (read instanceof Invalid) problems.push(...read.under(field).problems);
      else entries.push([field, read]);
      if (problems.length >= maxProblems) break;
    }
    // An assignment to `__proto__` would set the prototype.
    return problems.length > 0 ? new Invalid(problems) : Object.freeze(Object.fromEntries(entries));
  };
}

/** An object with these methods. */
export function methods(...names: readonly string[]): Shape<unknown> {
  return (value) => {
    if (typeof value !== 'object' || value === null) return mismatch(value, `an object with ${names.join(', ')}`);
    const missing = names.find((name) => typeof (value as Record<string, unknown>)[name] !== 'function');
    return missing === undefined ? value : invalid(`has no method ${missing}`);
  };
}

function textWithin(limit: 'answerBytes' | 'promptBytes'): Shape<string> {
  return (value, limits) => {
    if (typeof value !== 'string') return mismatch(value, 'a string');
    return fitsBytes(value, limits[limit]) ? value : invalid(`is larger than ${limits[limit]} bytes`);
  };
}

export const text = textWithin('promptBytes');
const shortText = textWithin('answerBytes');
/** Non-empty text, such as a reason or a question. It is cut to length where it is used. */
export const nonEmptyText: Shape<string> = (value, limits) => {
  const read = shortText(value, limits);
  return typeof read === 'string' && read.trim() === '' ? invalid('is empty') : read;
};
export const flag = that<boolean>('true or false', (value) => typeof value === 'boolean');
export const anyNumber = that<number>('a finite number', Number.isFinite);
export const count = that<number>('a number from 0 up', (value) => Number.isFinite(value) && (value as number) >= 0);
export const positive = that<number>('a number above 0', (value) => typeof value === 'number' && value > 0);
export const finitePositive = that<number>(
  'a finite number above 0',
  (value) => Number.isFinite(value) && (value as number) > 0,
);
export function wholeNumber(least: number): Shape<number> {
  return that(`a whole number from ${least} up`, (value) => Number.isSafeInteger(value) && (value as number) >= least);
}
export const func = that<never>('a function', (value) => typeof value === 'function');
/** Any list or object, as it is. */
export const anyList = that<readonly never[]>('a list', Array.isArray);
export const anyObject = that<object>('an object', isRecord);
/** The name of a tool, a server, an agent. */
export const name: Shape<string> = (value) => {
  const problem = nameProblem(value);
  if (problem === undefined) return value as string;
  return invalid(typeof value === 'string' ? `is ${quoteName(value)}, which ${problem}` : problem);
};
/** The name of an argument, a host and the like. */
export const argumentName = that<string>('a name', (value) => typeof value === 'string' && value !== '');
/** A string in place of a list would be read character by character, and so match nothing. */
export const nameList = list(argumentName);
export const any: Shape<unknown> = (value) => value ?? (value === null ? null : invalid('is missing'));
export const absent: Shape<undefined> = (value) => (value === undefined ? undefined : invalid('does not belong here'));
/** Accepts and drops any value. */
export const ignored: Shape<undefined> = () => undefined;

export const json: Shape<JsonValue> = (value, limits) => {
  if (value === undefined) return invalid('is missing');
  const copy = copyJson(value, { bytes: limits.answerBytes, depth: limits.depth });
  return copy.problem === undefined ? copy.value : invalid(copy.problem);
};
export const jsonObject: Shape<JsonObject> = (value, limits) => {
  const copy = json(value, limits);
  return copy instanceof Invalid || isJsonObject(copy) ? copy : mismatch(copy, 'an object');
};

export const grantShapes: ShapesOf<Grant> = {
  timeoutMs: finitePositive,
  outputBytes: finitePositive,
  approvalMs: finitePositive,
};
export const grant = options<Grant>(grantShapes);
export const limitOptions = options<Partial<Limits>>(
  Object.fromEntries(Object.keys(defaultLimits).map((field) => [field, wholeNumber(1)])) as ShapesOf<Partial<Limits>>,
);
export const clock = methods(...(['now', 'wall', 'every'] satisfies readonly (keyof Clock)[]));

/** The checked options of the function `what`. One error lists all problems. */
export function readOptions<T extends object>(what: string, given: unknown, shape: Shape<T>): T {
  if (!isRecord(given))
    throw new BridleError('OPTION_INVALID', `${what} takes an object of options, not ${kindOf(given)}`);
  const read = shape(given, defaultLimits);
  if (!(read instanceof Invalid)) return read;
  const problems = read.texts().map((each) => `${what}: option ${each}`);
  throw new BridleError('OPTION_INVALID', problems.join('; '), { problems });
}
