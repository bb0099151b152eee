/** Which part of a text is a secret, if the name of the text says that it is one. */

import { schemeLength } from './header-values.ts';
import { looksRandom } from './looks-random.ts';
import { isPath, isPlainWord, isStrictReference } from './references.ts';
import type { NameKind } from './secret-names.ts';
import type { Span } from './span.ts';

/** Undefined if none is. */
export function maskedPart(text: string, kind: NameKind): Span | undefined {
  if (text.trim() === '') return undefined;
  const whole = { start: 0, end: text.length };
  switch (kind) {
    case 'secret':
    case 'hidden': {
      const start = schemeLength(text);
      const value = text.slice(start);
      const isNone = isStrictReference(value) || isPlainWord(value) || isPath(text);
      return isNone ? undefined : { start, end: text.length };
    }
    case 'digits':
      return /^\d{4,8}$/.test(text) ? whole : undefined;
    case 'doubtful':
      return text.length >= 16 && text.length <= 8192 && !/\s/.test(text) && looksRandom(text) ? whole : undefined;
    case 'plain':
      return undefined;
    default:
      return kind satisfies never;
  }
}
