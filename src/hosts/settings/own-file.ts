/** A file that belongs to Bridle alone. */

import { BridleError } from '../../kernel/errors.ts';
import type { HookCommand, SettingsFile } from './host-settings.ts';
import { unquoted } from './shell-quote.ts';

/** `content` must contain the path of the wrapper. */
export function ownFile(path: string, content: (hook: HookCommand) => string): SettingsFile {
  return {
    path,
    add: (text, hook) => {
      if (text !== undefined && text.trim() !== '' && !text.includes('bridle'))
        throw new BridleError('OPTION_INVALID', `${path} is not a file of Bridle: move it away first`);
      return content(hook);
    },
    remove: () => undefined,
    inspect: (text, wrapper) => (mentions(text, wrapper) ? [] : undefined),
  };
}

/** Compared without quotes and backslashes, which depend on the format of the file. */
function mentions(text: string, path: string): boolean {
  return unquoted(text).includes(unquoted(path));
}
