/** The options of the built-in tools. They are checked, because a misspelled restriction must not allow everything. */

import { BridleError } from '../kernel/errors.ts';
import { misspelledField } from '../kernel/similar-names.ts';
import type { FetchRules } from '../facts/net/fetch-checked-url.ts';
import type { ImageGenerator } from './builtin/generate-image.ts';
import type { RipgrepOptions } from './processes/ripgrep.ts';
import type { CommandOptions } from './builtin/run-command.ts';
import type { WebSearch } from './builtin/search-web.ts';

/** What the built-in tools may use and access. */
export interface BuiltinToolOptions extends CommandOptions, RipgrepOptions, FetchRules {
  /** Enables the tool `generate_image`. */
  readonly generateImage?: ImageGenerator | undefined;
  /** Enables the tool `search_web`. */
  readonly searchWeb?: WebSearch | undefined;
}

type Check = (value: unknown) => boolean;

const isFunction: Check = (value) => typeof value === 'function';
const isAbsolute: Check = (value) => typeof value === 'string' && value.startsWith('/') && !value.includes('\0');
const isText: Check = (value) => typeof value === 'string' && value !== '';
/** The longest delay of a timer. */
const maxTimerMs = 2 ** 31 - 1;

const checks: Readonly<Record<keyof BuiltinToolOptions, readonly [wanted: string, check: Check]>> = {
  // Commands are analyzed as bash, so they must run in bash.
  shell: ['an absolute path to bash', (value) => isAbsolute(value) && (value as string).endsWith('/bash')],
  ripgrep: ['an absolute path', isAbsolute],
  env: ['an object of strings', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)],
  commandTimeoutMs: [
    'a number of milliseconds above 0',
    (value) => typeof value === 'number' && value > 0 && value <= maxTimerMs,
  ],
  allowPrivateHosts: ['true or false', (value) => typeof value === 'boolean'],
  allowedHosts: ['a list of hosts', (value) => Array.isArray(value) && value.every(isText)],
  redirects: ['"same-host" or "any"', (value) => value === 'same-host' || value === 'any'],
  resolve: ['a function', isFunction],
  generateImage: ['a function', isFunction],
  searchWeb: ['a function', isFunction],
};

export function checkBuiltinOptions(options: BuiltinToolOptions): void {
  const problems = Object.entries(checks).flatMap(([name, [wanted, check]]) => {
    const value = options[name as keyof BuiltinToolOptions];
    return value === undefined || check(value) ? [] : [`option "${name}" must be ${wanted}`];
  });
  const typo = misspelledField(options, Object.keys(checks));
  if (typo !== undefined) problems.push(`option "${typo.field}" is unknown; did you mean "${typo.meant}"?`);
  if (problems.length > 0)
    throw new BridleError('OPTION_INVALID', `Built-in tools: ${problems.join('; ')}`, { problems });
}
