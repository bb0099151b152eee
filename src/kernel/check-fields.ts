/** Validation of objects from plain JavaScript callers: which fields are known, and which values each accepts. */

import type { Clock } from './clock.ts';
import type { Grant } from './call.ts';
import { isRecord } from './kind-of.ts';
import { defaultLimits } from './limits.ts';
import { misspelledField } from './similar-names.ts';
import { didYouMean, quoteName } from './names.ts';

/** Returns what is wrong with a value, as the rest of a sentence that starts with the field's name. */
export type FieldCheck = (value: unknown) => string | undefined;

type FieldChecks = Readonly<Record<string, FieldCheck>>;

/** One check for every field of a type. */
export type ChecksOf<T extends object> = { readonly [Field in keyof T]-?: FieldCheck };

/** Problems of unknown fields and of invalid values. */
export function fieldProblems(given: object, checks: FieldChecks, needed?: readonly string[]): string[] {
  return [...unknownFieldProblems(given, Object.keys(checks)), ...valueProblems(given, checks, needed)];
}

/** Problems of invalid values, inherited fields included. */
export function valueProblems(given: object, checks: FieldChecks, needed: readonly string[] = []): string[] {
  const problems: string[] = [];
  // Performance matters: a policy may have a hundred thousand rules.
  for (const field in checks) {
    const value = (given as Readonly<Record<string, unknown>>)[field];
    const missing = needed.includes(field) ? 'is missing' : undefined;
    const problem = value === undefined ? missing : checks[field]?.(value);
    if (problem !== undefined) problems.push(`${quoteName(field)} ${problem}`);
  }
  return problems;
}

export function unknownFieldProblems(given: object, known: readonly string[]): string[] {
  const unknown = Object.keys(given).filter((field) => !known.includes(field));
  return unknown.map((field) => `${quoteName(field)} is not known${didYouMean(field, known)}`);
}

/** For objects that may have other fields: reports a field that looks like a misspelled known one. */
export function misspellingProblems(given: object, known: readonly string[]): string[] {
  const slip = misspelledField(given, known);
  return slip === undefined ? [] : [`${quoteName(slip.field)} is not known; did you mean "${slip.meant}"?`];
}

/** Reads each known field exactly once, inherited ones included, so that the checked value is the one that is used. */
export function pickFields<T extends object>(given: T, checks: FieldChecks): T {
  // Starting with the final object shape is faster than adding fields.
  const picked: Record<string, unknown> = { ...checks };
  for (const field in checks) picked[field] = (given as Readonly<Record<string, unknown>>)[field];
  return picked as T;
}

/** A check with one condition. */
export function checkThat(what: string, isValid: (value: unknown) => unknown): FieldCheck {
  return (value) => {
    if (isValid(value) === true) return undefined;
    return `is ${typeof value === 'number' ? value : quoteName(value)}, not ${what}`;
  };
}

/** Checks for an object with these methods. */
export function methodsCheck(...methods: readonly string[]): FieldCheck {
  return checkThat(`an object with ${methods.join(', ')}`, (value) =>
    methods.every((method) => typeof (value as Record<string, unknown> | null)?.[method] === 'function'),
  );
}

export function listOfCheck(isOne: (value: unknown) => boolean): FieldCheck {
  return (value) =>
    listCheck(value) ??
    (Array.from(value as readonly unknown[]).every(isOne) ? undefined : 'contains something that is not a name');
}

/** Checks for an object with only these fields. */
export function fieldsCheck(checks: FieldChecks): FieldCheck {
  return (value) => objectCheck(value) ?? joined(fieldProblems(value as object, checks));
}

/** Checks every field of an object with the same check, independent of the field names. */
export function eachFieldCheck(check: FieldCheck): FieldCheck {
  return (value) => objectCheck(value) ?? joined(fieldProblems(value as object, forAll(value as object, check)));
}

function forAll(of: object, check: FieldCheck): FieldChecks {
  return Object.fromEntries(Object.keys(of).map((field) => [field, check]));
}

function joined(problems: readonly string[]): string | undefined {
  return problems.length === 0 ? undefined : `is wrong: ${problems.join(', ')}`;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

export const anyCheck: FieldCheck = () => undefined;
export const listCheck = checkThat('a list', Array.isArray);
export const objectCheck = checkThat('an object', isRecord);
export const functionCheck = checkThat('a function', (value) => typeof value === 'function');
export const booleanCheck = checkThat('true or false', (value) => typeof value === 'boolean');
export const textCheck = checkThat('a string', (value) => typeof value === 'string');
export const argumentNameCheck = checkThat('a name', isName);
/** A string in place of a list would be read character by character, and so match nothing. */
export const nameListCheck = listOfCheck(isName);
export const positiveCheck = checkThat('a number above 0', (value) => typeof value === 'number' && value > 0);
export const finiteCheck = checkThat(
  'a finite number above 0',
  (value) => Number.isFinite(value) && (value as number) > 0,
);
const wholeNumberCheck = checkThat(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);

export const limitsCheck = fieldsCheck(forAll(defaultLimits, wholeNumberCheck));
export const grantFieldChecks: ChecksOf<Grant> = {
  timeoutMs: finiteCheck,
  outputBytes: finiteCheck,
  approvalMs: finiteCheck,
};
export const grantCheck = fieldsCheck(grantFieldChecks);
export const clockCheck = methodsCheck(...(['now', 'wall', 'every'] satisfies readonly (keyof Clock)[]));
