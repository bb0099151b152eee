/** The options of the built-in tools. They are checked, because a misspelled restriction must not allow everything. */

import * as is from '../kernel/shapes.ts';
import { invalid, readOptions } from '../kernel/shapes.ts';
import type { FetchRules } from '../facts/net/fetch-checked-url.ts';
import type { ToolProviders } from './builtin/host-tools.ts';
import type { RipgrepOptions } from './search/search-files.ts';
import type { CommandOptions } from './builtin/run-command.ts';

/** What the built-in tools may use and access. */
export interface BuiltinToolOptions extends CommandOptions, RipgrepOptions, FetchRules, ToolProviders {}

const absolutePath = is.that(
  'an absolute path',
  (value) => typeof value === 'string' && value.startsWith('/') && !value.includes('\0'),
);
/** The longest delay of a timer. */
const maxTimerMs = 2 ** 31 - 1;

const shape = is.options<BuiltinToolOptions>(
  {
    // Commands are analyzed as bash, so they must run in bash.
    shell: (value, limits) =>
      typeof value === 'string' && value.endsWith('/bash')
        ? absolutePath(value, limits)
        : invalid('is not a path to bash'),
    ripgrep: (value, limits) => (value === false ? value : absolutePath(value, limits)),
    env: is.anyObject,
    commandTimeoutMs: is.that(
      'a number of milliseconds above 0',
      (value) => typeof value === 'number' && value > 0 && value <= maxTimerMs,
    ),
    allowPrivateHosts: is.flag,
    allowedHosts: is.nameList,
    redirects: is.oneOf('same-host', 'any'),
    resolve: is.func,
    generateImage: is.func,
    searchWeb: is.func,
  },
  { open: true },
);

/** The checked options. Inherited ones count, too. */
export function readBuiltinOptions(options: BuiltinToolOptions): BuiltinToolOptions {
  return readOptions('Built-in tools', options, shape);
}
