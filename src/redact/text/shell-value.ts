/** The value of one shell word, as far as it is literal. */

import { isNonSecretWord, isPlaceholder } from '../secrets/placeholders.ts';
import type { TextScanner } from './text-scanner.ts';
import type { SecretSpan } from './secret-span.ts';

const word = /(?:[^\s"'`;|&<>()\\$]+|\\.|\$(?![({A-Za-z_])|"[^"\\`$]*(?:(?:\\.|\$(?![({]))[^"\\`$]*)*"|'[^']*')*/y;
/** Ends before a substitution: what it does must stay visible. */
const openDouble = /"([^"\\`$\n]*(?:(?:\\.|\$(?![({]))[^"\\`$\n]*)*)/y;
const openSingle = /'([^'\n]*)/y;
const simple = /^(["'])([^"'\\]*)\1$/;

/** The literal part of the word at `at`; undefined if it is empty or not a secret. */
export function shellValue(scanner: TextScanner, at: number): SecretSpan | undefined {
  const { text } = scanner;
  const whole = scanner.exec(word, at)?.[0] ?? '';
  const [, quote = '', inside = ''] = simple.exec(whole) ?? [];
  if (quote !== '') return secretLiteral(text, { start: at + 1, end: at + 1 + inside.length });
  const end = at + whole.length;
  const openQuoted = text[end] === '"' ? openDouble : openSingle;
  const [opened = '', more = ''] = scanner.exec(openQuoted, end) ?? [];
  const start = whole === '' && opened !== '' ? at + 1 : at;
  return secretLiteral(text, { start, end: more === '' ? end : end + opened.length });
}

function secretLiteral(text: string, { start, end }: SecretSpan): SecretSpan | undefined {
  const value = text.slice(start, end);
  return value.trim() === '' || isPlaceholder(value) || isNonSecretWord(value) ? undefined : { start, end };
}
