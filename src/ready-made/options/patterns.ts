/**
 * User-defined patterns. They are copied, so that `lastIndex` of a `g` or `y` flag does not skip texts and is not
 * changed.
 */
import * as is from '../../kernel/shapes.ts';

export const pattern = is.that<RegExp>(
  'a regular expression',
  (value) => Object.prototype.toString.call(value) === '[object RegExp]',
);

/** Tests whether a text matches one of the patterns, either as written or as it appears to a reader. */
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

/** The text as it appears to a reader: no invisible characters, and plain letters for wide or styled ones. */
export function visibleText(text: string): string {
  if (!beyondAscii.test(text)) return text;
  return text.normalize('NFKC').replaceAll(unseen, '');
}

const beyondAscii = /[^\0-\x7f]/;
const unseen = /\p{Default_Ignorable_Code_Point}/gu;
