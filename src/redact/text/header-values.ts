/** Secrets in HTTP headers inside a text: `Authorization: Bearer x`, `Cookie: a=x; b=y`. */

import { isNonSecretWord, isPlaceholder } from '../secrets/placeholders.ts';
import type { TextScanner } from './text-scanner.ts';
import type { SpansFound, SecretSpan } from './secret-span.ts';

interface HeaderInText {
  readonly scanner: TextScanner;
  readonly text: string;
  readonly name: string;
  readonly end: number;
}

const authScheme =
  /(?:basic|bearer|digest|negotiate|ntlm|token|apikey|api-key|oauth|hawk|dpop|ssws|privatetoken|vapid|aws4-hmac-sha256)[ \t]+(?=\S)/iy;
const authorization = /^(?:proxy-)?authori[sz]ation$/i;
const cookie = /^(?:set-)?cookie2?$/i;
const cookieAttribute = /^(?:path|expires|max-age|domain|samesite|version|priority)$/i;
const line = /[^\r\n"'`\\]+/y;
const quote = /\\{0,4}["'`]/y;

/** The length of the scheme (`Bearer `), which stays visible; the credentials after it do not. */
export function authSchemeLength(value: string, at = 0): number {
  authScheme.lastIndex = at;
  return authScheme.exec(value)?.[0].length ?? 0;
}

/** The credentials of an authorization header; undefined for other headers. */
export function authorizationValue({ scanner, text, name, end }: HeaderInText, at: number): SpansFound | undefined {
  if (!authorization.test(name)) return undefined;
  const opened = scanner.endOfRun(quote, at);
  const start = opened + authSchemeLength(text, opened);
  if (start === opened) return undefined;
  const value = text.slice(start, scanner.endOfRun(line, start)).trimEnd();
  const isNone = value === '' || isPlaceholder(value) || isNonSecretWord(value);
  return isNone ? { next: end, spans: [] } : { next: start, spans: [{ start, end: start + value.length }] };
}

/** The values of all cookies. */
export function cookieValues({ scanner, text, name }: HeaderInText, at: number): SpansFound | undefined {
  if (!cookie.test(name)) return undefined;
  const start = scanner.endOfRun(quote, at);
  const end = scanner.endOfRun(line, start);
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
