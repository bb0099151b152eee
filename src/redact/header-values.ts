/** Secrets in HTTP headers inside a text: `Authorization: Bearer x`, `Cookie: a=x; b=y`. */

import { authSchemeLength, isNonSecretWord, isPlaceholder } from './secret-values.ts';
import type { SecretSpan, SpansFound, TextScanner } from './text-scanner.ts';

interface HeaderInText {
  readonly scanner: TextScanner;
  readonly text: string;
  readonly name: string;
  readonly end: number;
}

const authorization = /^(?:proxy-)?authori[sz]ation$/i;
const cookie = /^(?:set-)?cookie2?$/i;
const cookieAttribute = /^(?:path|expires|max-age|domain|samesite|version|priority)$/i;
const headerLine = /[^\r\n"'`\\]+/y;
const quote = /\\{0,4}["'`]/y;

/** The credentials of an authorization header; undefined for other headers. */
export function authorizationValue({ scanner, text, name, end }: HeaderInText, at: number): SpansFound | undefined {
  if (!authorization.test(name)) return undefined;
  const opened = scanner.endOfRun(quote, at);
  const start = opened + authSchemeLength(text, opened);
  if (start === opened) return undefined;
  const value = text.slice(start, scanner.endOfRun(headerLine, start)).trimEnd();
  const isNone = value === '' || isPlaceholder(value) || isNonSecretWord(value);
  return isNone ? { next: end, spans: [] } : { next: start, spans: [{ start, end: start + value.length }] };
}

/** The values of all cookies. */
export function cookieValues({ scanner, text, name }: HeaderInText, at: number): SpansFound | undefined {
  if (!cookie.test(name)) return undefined;
  const start = scanner.endOfRun(quote, at);
  const end = scanner.endOfRun(headerLine, start);
  const spans: SecretSpan[] = [];
  if (scanner.isDone(cookieValues, at)) return { next: at, spans };
  scanner.setDone(cookieValues, end);
  scanner.read += end - start;
  let from = start;
  for (const pair of text.slice(start, end).split(';')) {
    const [, each = '', value = ''] = /^\s*([\w!#$%&*+.^|~-]+)=(\S+)/.exec(pair) ?? [];
    const last = from + pair.trimEnd().length;
    if (value !== '' && !cookieAttribute.test(each) && !isPlaceholder(value)) {
      spans.push({ start: from + pair.indexOf('=') + 1, end: last });
    }
    from += pair.length + 1;
  }
  return { next: at, spans };
}
