/** Checking what plain JavaScript may get wrong: which fields an object may have, and what each of them may hold. */

import type { Clock } from './clock.ts';
import type { Grant } from './call.ts';
import { isRecord } from './kind-of.ts';
import { defaultLimits } from './limits.ts';
import { misspelledField } from './similar-names.ts';
import { didYouMean, quoteName } from './names.ts';

/** What is wrong with a value, as it reads on after its name. */
export type FieldCheck = (value: unknown) => string | undefined;

type FieldChecks = Readonly<Record<string, FieldCheck>>;

/** A check for every field there is. */
export type ChecksOf<T extends object> = { readonly [Field in keyof T]-?: FieldCheck };

/** Each field that is not known or does not hold what it should. */
export function fieldProblems(given: object, checks: FieldChecks, needed?: readonly string[]): string[] {
  return [...unknownFieldProblems(given, Object.keys(checks)), ...valueProblems(given, checks, needed)];
}

/** Each field that does not hold what it should; inherited ones count too. */
export function valueProblems(given: object, checks: FieldChecks, needed: readonly string[] = []): string[] {
  const problems: string[] = [];
  // A policy may have a hundred thousand rules to check.
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

/** For objects with fields of their own: one that is almost ours would be silently ignored. */
export function misspellingProblems(given: object, known: readonly string[]): string[] {
  const slip = misspelledField(given, known);
  return slip === undefined ? [] : [`${quoteName(slip.field)} is not known; did you mean "${slip.meant}"?`];
}

/** The fields there are, of an object of whatever kind, read by name and once: what is checked is what is kept. */
export function pickFields<T extends object>(given: T, checks: FieldChecks): T {
  // It starts with its final shape, which is quicker than growing it.
  const picked: Record<string, unknown> = { ...checks };
  for (const field in checks) picked[field] = (given as Readonly<Record<string, unknown>>)[field];
  return picked as T;
}

/** A check by one condition. */
export function checkThat(what: string, holds: (value: unknown) => unknown): FieldCheck {
  return (value) => {
    if (holds(value) === true) return undefined;
    return `is ${typeof value === 'number' ? value : quoteName(value)}, not ${what}`;
  };
}

/** An object that has these methods. */
export function methodsCheck(...methods: readonly string[]): FieldCheck {
  return checkThat(`an object with ${methods.join(', ')}`, (value) =>
    methods.every((method) => typeof (value as Record<string, unknown> | null)?.[method] === 'function'),
  );
}

export function listOfCheck(isOne: (value: unknown) => boolean): FieldCheck {
  return (value) =>
    listCheck(value) ??
    (Array.from(value as readonly unknown[]).every(isOne) ? undefined : 'holds something that is no name');
}

/** An object with just these fields. */
export function fieldsCheck(checks: FieldChecks): FieldCheck {
  return (value) => objectCheck(value) ?? joined(fieldProblems(value as object, checks));
}

/** An object whose fields all hold the same, whatever they are called. */
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
export const textCheck = checkThat('a text', (value) => typeof value === 'string');
export const argumentNameCheck = checkThat('a name', isName);
/** A text where a list belongs would be taken letter by letter, and hide or cover nothing. */
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
