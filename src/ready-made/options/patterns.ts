/** Patterns of the user's: copied, so that `lastIndex` of a `g` or `y` flag neither skips a text nor is changed. */

import type { OptionCheck } from './ready-made-options.ts';

export const mustBePattern: OptionCheck = (value) =>
  Object.prototype.toString.call(value) === '[object RegExp]' ? undefined : 'is not a regular expression';

/** Whether a text matches any of the patterns, as it stands or as it reads, however often it is asked. */
export function matchesAny(patterns: readonly RegExp[]): (text: string) => boolean {
  const copies = patterns.map(({ source, flags }) => new RegExp(source, flags));
  const matches = (text: string): boolean =>
    copies.some((copy) => {
      copy.lastIndex = 0;
      return copy.test(text);
    });
  return (text) => {
    if (matches(text)) return true;
    const read = visibleText(text);
    return read !== text && matches(read);
  };
}

/** Without characters that cannot be seen, and wide or styled letters as plain ones. */
export function visibleText(text: string): string {
  if (!beyondAscii.test(text)) return text;
  return text.normalize('NFKC').replaceAll(unseen, '');
}

const beyondAscii = /[^\0-\x7f]/;
const unseen = /\p{Default_Ignorable_Code_Point}/gu;
