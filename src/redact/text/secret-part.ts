/** Finds the secret part of a text whose name marks it as secret. */

import { authSchemeLength } from './header-values.ts';
import { looksRandom } from '../secrets/looks-random.ts';
import { isPathLike, isNonSecretWord, isStrictPlaceholder } from '../secrets/placeholders.ts';
import type { NameKind } from '../secrets/secret-names.ts';
import type { SecretSpan } from './secret-span.ts';

/** Undefined if there is none. */
export function secretPartOf(text: string, kind: NameKind): SecretSpan | undefined {
  if (text.trim() === '') return undefined;
  const whole = { start: 0, end: text.length };
  switch (kind) {
    case 'secret':
    case 'hidden': {
      const start = authSchemeLength(text);
      const value = text.slice(start);
      const isNone = isStrictPlaceholder(value) || isNonSecretWord(value) || isPathLike(text);
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
