/** The options that all ready-made hooks share, and their checks: one error lists all problems. */

import { BridleError } from '../../kernel/errors.ts';
import type { HookOptions } from '../../kernel/hooks/registration/hook.ts';
import { closestName } from '../../kernel/similar-names.ts';

/** Options of every ready-made hook. */
export interface ReadyMadeOptions {
  /** Required if the same kind of hook is used twice, since names are unique. */
  readonly name?: string | undefined;
  /** Lower runs first, or last at points that run in reverse. */
  readonly priority?: number | undefined;
  /** The timeout of one asynchronous answer. */
  readonly timeoutMs?: number | undefined;
}

/** Returns the problem with the value of an option; undefined if it is valid. */
export type OptionCheck = (value: unknown) => string | undefined;

export const mustBePositiveInteger: OptionCheck = (value) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? undefined : 'must be an integer above 0';
export const mustBeNonNegative: OptionCheck = (value) =>
  Number.isFinite(value) && (value as number) >= 0 ? undefined : 'must be a number of at least 0';
export const mustBeFunction: OptionCheck = (value) => (typeof value === 'function' ? undefined : 'must be a function');
export const mustBeBoolean: OptionCheck = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
export const mustBeText: OptionCheck = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a string that is not empty';
export const mustBeOneOf =
  (...known: readonly unknown[]): OptionCheck =>
  (value) =>
    known.includes(value) ? undefined : `must be one of ${known.map((each) => JSON.stringify(each)).join(', ')}`;

/** A non-empty list whose items all pass the check. */
export const mustBeListOf =
  (check: OptionCheck): OptionCheck =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length === 0) return 'must not be empty';
    const problems = value.map((each, index) => ({ index, problem: check(each) }));
    const first = problems.find(({ problem }) => problem !== undefined);
    return first === undefined ? undefined : `[${first.index}] ${first.problem}`;
  };

const sharedChecks: Readonly<Record<keyof ReadyMadeOptions, OptionCheck>> = {
  name: mustBeText,
  priority: (value) => (Number.isFinite(value) ? undefined : 'must be a finite number'),
  timeoutMs: (value) => mustBeNonNegative(value) ?? (value === 0 ? 'must be above 0' : undefined),
};

interface ExpectedOptions {
  readonly checks: Readonly<Record<string, OptionCheck>>;
  readonly needed?: readonly string[];
  /** Which of the shared options are allowed. Default: all. */
  readonly shared?: readonly (keyof ReadyMadeOptions)[];
}

/** Throws one error that lists all problems of the options. */
export function checkHookOptions(hook: string, options: object, expected: ExpectedOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new BridleError('OPTION_INVALID', `${hook}: the options must be an object`);
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
    const unknown = `is unknown${near === undefined ? '' : `; did you mean "${near}"?`}`;
    const problem = check === undefined ? unknown : value === undefined ? undefined : check(value);
    if (problem !== undefined) problems.push(`${hook}: option "${option}" ${problem}`);
  }
  if (problems.length > 0) throw new BridleError('OPTION_INVALID', problems.join('; '), { problems });
}

/** The name and options of the hook itself, with defaults. */
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
