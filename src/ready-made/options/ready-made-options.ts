/** The options every ready-made hook has, and checking those it was given: one error that names each problem. */

import { BridleError } from '../../kernel/errors.ts';
import type { HookOptions } from '../../kernel/hooks/registration/hook.ts';
import { closestName } from '../../kernel/similar-names.ts';

/** What can be set on every ready-made hook. */
export interface ReadyMadeOptions {
  /** Needed where one kind of hook is used twice, since names are unique. */
  readonly name?: string | undefined;
  /** Lower runs first, and last at the points that run in reverse. */
  readonly priority?: number | undefined;
  /** How long one asynchronous answer may take. */
  readonly timeoutMs?: number | undefined;
}

/** Says what is wrong with the value of an option, if anything is. */
export type OptionCheck = (value: unknown) => string | undefined;

export const mustBePositiveInteger: OptionCheck = (value) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? undefined : 'is not a whole number above 0';
export const mustBeNonNegative: OptionCheck = (value) =>
  Number.isFinite(value) && (value as number) >= 0 ? undefined : 'is not a number from 0 up';
export const mustBeFunction: OptionCheck = (value) => (typeof value === 'function' ? undefined : 'is not a function');
export const mustBeBoolean: OptionCheck = (value) => (typeof value === 'boolean' ? undefined : 'is not true or false');
export const mustBeText: OptionCheck = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'is not a text, or is empty';
export const mustBeOneOf =
  (...known: readonly unknown[]): OptionCheck =>
  (value) =>
    known.includes(value) ? undefined : `is none of ${known.map((each) => JSON.stringify(each)).join(', ')}`;

/** A list with something in it, each passing the check. */
export const mustBeListOf =
  (check: OptionCheck): OptionCheck =>
  (value) => {
    if (!Array.isArray(value)) return 'is not a list';
    if (value.length === 0) return 'is an empty list';
    const problems = value.map((each, index) => ({ index, problem: check(each) }));
    const wrong = problems.find(({ problem }) => problem !== undefined);
    return wrong === undefined ? undefined : `[${wrong.index}] ${wrong.problem}`;
  };

const sharedChecks: Readonly<Record<keyof ReadyMadeOptions, OptionCheck>> = {
  name: mustBeText,
  priority: (value) => (Number.isFinite(value) ? undefined : 'is not a finite number'),
  timeoutMs: (value) => mustBeNonNegative(value) ?? (value === 0 ? 'is 0' : undefined),
};

interface ExpectedOptions {
  readonly checks: Readonly<Record<string, OptionCheck>>;
  readonly needed?: readonly string[];
  /** Which of the common options there are; all if not given. */
  readonly shared?: readonly (keyof ReadyMadeOptions)[];
}

/** Throws one error with everything that is wrong with the options of a hook. */
export function checkHookOptions(hook: string, options: object, expected: ExpectedOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new BridleError('OPTION_INVALID', `${hook} takes an object of options`);
  }
  const { checks, needed = [], shared = ['name', 'priority', 'timeoutMs'] } = expected;
  const known: Readonly<Record<string, OptionCheck>> = {
    ...checks,
    ...Object.fromEntries(shared.map((option) => [option, sharedChecks[option]])),
  };
  const problems = needed
    .filter((option) => (options as Record<string, unknown>)[option] === undefined)
    .map((option) => `${hook}: option "${option}" is missing`);
  for (const [option, value] of Object.entries(options)) {
    const check = Object.hasOwn(known, option) ? known[option] : undefined;
    const near = closestName(option, Object.keys(known));
    const unknown = `is not known${near === undefined ? '' : `; did you mean "${near}"?`}`;
    const problem = check === undefined ? unknown : value === undefined ? undefined : check(value);
    if (problem !== undefined) problems.push(`${hook}: option "${option}" ${problem}`);
  }
  if (problems.length > 0) throw new BridleError('OPTION_INVALID', problems.join('; '), { problems });
}

/** The name and the options of the hook itself, with what stands for those not given. */
export function hookSettings<Defaults extends HookOptions & { readonly name: string }>(
  { name, priority, timeoutMs }: ReadyMadeOptions,
  defaults: Defaults,
): Defaults & Pick<HookOptions, 'priority' | 'timeoutMs'> & { readonly name: string } {
  return {
    ...defaults,
    name: name ?? defaults.name,
    priority: priority ?? defaults.priority,
    timeoutMs: timeoutMs ?? defaults.timeoutMs,
  };
}
