/** Checking what plain JavaScript may get wrong: which fields an object may have, and what each of them may hold. */

import type { Clock } from '../clock.ts';
import type { Grant } from '../call.ts';
import { isRecord } from '../kind-of.ts';
import { defaultLimits } from '../limits.ts';
import { misspelled } from '../nearest.ts';
import { meant, quoteName } from './names.ts';

/** What is wrong with a value, as it reads on after its name. */
export type Check = (value: unknown) => string | undefined;

type Checks = Readonly<Record<string, Check>>;

/** A check for every field there is. */
export type ChecksOf<T extends object> = { readonly [Field in keyof T]-?: Check };

/** Each field that is not known or does not hold what it should. */
export function fieldProblems(given: object, checks: Checks, needed?: readonly string[]): string[] {
  return [...unknownFields(given, Object.keys(checks)), ...valueProblems(given, checks, needed)];
}

/** Each field that does not hold what it should; inherited ones count too. */
export function valueProblems(given: object, checks: Checks, needed: readonly string[] = []): string[] {
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

export function unknownFields(given: object, known: readonly string[]): string[] {
  const unknown = Object.keys(given).filter((field) => !known.includes(field));
  return unknown.map((field) => `${quoteName(field)} is not known${meant(field, known)}`);
}

/** For objects with fields of their own: one that is almost ours would be silently ignored. */
export function slipProblems(given: object, known: readonly string[]): string[] {
  const slip = misspelled(given, known);
  return slip === undefined ? [] : [`${quoteName(slip.field)} is not known; did you mean "${slip.meant}"?`];
}

/** The fields there are, of an object of whatever kind, read by name and once: what is checked is what is kept. */
export function pick<T extends object>(given: T, checks: Checks): T {
  // It starts with its final shape, which is quicker than growing it.
  const picked: Record<string, unknown> = { ...checks };
  for (const field in checks) picked[field] = (given as Readonly<Record<string, unknown>>)[field];
  return picked as T;
}

/** A check by one condition. */
export function is(what: string, holds: (value: unknown) => unknown): Check {
  return (value) => {
    if (holds(value) === true) return undefined;
    return `is ${typeof value === 'number' ? value : quoteName(value)}, not ${what}`;
  };
}

/** An object that has these methods. */
export function having(...methods: readonly string[]): Check {
  return is(`an object with ${methods.join(', ')}`, (value) =>
    methods.every((method) => typeof (value as Record<string, unknown> | null)?.[method] === 'function'),
  );
}

export function listOf(isOne: (value: unknown) => boolean): Check {
  return (value) =>
    list(value) ??
    (Array.from(value as readonly unknown[]).every(isOne) ? undefined : 'holds something that is no name');
}

/** An object with just these fields. */
export function fields(checks: Checks): Check {
  return (value) => object(value) ?? joined(fieldProblems(value as object, checks));
}

/** An object whose fields all hold the same, whatever they are called. */
export function each(check: Check): Check {
  return (value) => object(value) ?? joined(fieldProblems(value as object, forAll(value as object, check)));
}

function forAll(of: object, check: Check): Checks {
  return Object.fromEntries(Object.keys(of).map((field) => [field, check]));
}

function joined(problems: readonly string[]): string | undefined {
  return problems.length === 0 ? undefined : `is wrong: ${problems.join(', ')}`;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

export const anything: Check = () => undefined;
export const list = is('a list', Array.isArray);
export const object = is('an object', isRecord);
export const callable = is('a function', (value) => typeof value === 'function');
export const flag = is('true or false', (value) => typeof value === 'boolean');
export const text = is('a text', (value) => typeof value === 'string');
export const argument = is('a name', isName);
/** A text where a list belongs would be taken letter by letter, and hide or cover nothing. */
export const names = listOf(isName);
export const positive = is('a number above 0', (value) => typeof value === 'number' && value > 0);
export const finite = is('a finite number above 0', (value) => Number.isFinite(value) && (value as number) > 0);
const whole = is('a whole number above 0', (value) => Number.isSafeInteger(value) && (value as number) > 0);

export const limits = fields(forAll(defaultLimits, whole));
export const grantChecks: ChecksOf<Grant> = { timeoutMs: finite, outputBytes: finite, approvalMs: finite };
export const grant = fields(grantChecks);
export const clock = having(...(['now', 'wall', 'every'] satisfies readonly (keyof Clock)[]));
