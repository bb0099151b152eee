/**
 * Secrets in a text that follow a name: `--password x`, `API_KEY=x`, `Authorization: Bearer x`, `"client_secret": "x"`,
 * `?access_token=x`, `<password>x</password>`.
 */

import {
  authSchemeLength,
  isNonSecretWord,
  isPathLike,
  isPlaceholder,
  isStrictPlaceholder,
  looksRandom,
} from './secret-values.ts';
import { maskPattern } from './mask-text.ts';
import type { TextScanner, SpansFound, SecretSpan } from './text-scanner.ts';
import type { NameKind, SecretNames } from './secret-names.ts';
import { shellValue } from './command-secrets.ts';

interface NameInText {
  readonly scanner: TextScanner;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly kind: NameKind;
}

/** Maximum length of a name on each side of the significant word. */
const maxNameSide = 64;
/** How much of a value is read to classify it. */
const maxValueRead = 512;

const nameUnit = /[\w.$-]/;
const separator =
  /(?:\\{0,4}["'`]?\]?)([ \t]{0,8})([?!]?:(?!:|\/\/)|:=|={1,3}>?|!={1,2}|%(?:25)?3[ad]|：|＝|["'][ \t]{1,8}value=)([ \t]{0,8})/iy;
const parameter = /[^\s"'`<>&#;\\]+/y;
const encodedParameter = /[^\s"'`<>&#;\\%]*(?:%(?!(?:25)?2[026])[^\s"'`<>&#;\\%]*)*/y;
const bareUnits = '[^\\s"\'`<>,;&(){}[\\]\\\\|]*';
const bareValue = new RegExp(`${bareUnits}(?:${maskPattern}${bareUnits})*`, 'y');
const element = /[^<>]+/y;
const blanks = /[ \t]{1,8}(?=\S)/y;
const longToken = /[\w+/.~=-]{16,200}/y;
const openQuote = /[rbfu]{0,2}(\\{0,4}["'`])/iy;
const quoted: Readonly<Record<string, RegExp>> = {
  '"': /[^"\\\n]*(?:\\.[^"\\\n]*)*/y,
  "'": /[^'\\\n]*(?:\\.[^'\\\n]*)*/y,
  '`': /[^`\\\n]*(?:\\.[^`\\\n]*)*/y,
};
const line = /[^\n]*/y;
const masks = new RegExp(maskPattern, 'g');

const header = /^x-|^[a-z]+(?:-[a-z]+)+$/i;
/** Words that follow a flag in prose. */
const proseAfterFlag =
  /^(?:to|for|and|or|is|as|in|with|flag|option|options|argument|from|of|the|a|an|if|when|must|not|on|by|instead|value|you|it|that|this|was|are|be|may|can|will|should)$/i;

/** `at` and `length` locate a word that is often part of the name of a secret. */
export function findNamedSecret(
  scanner: TextScanner,
  at: number,
  { length, names }: { length: number; names: SecretNames },
): SpansFound {
  const { text } = scanner;
  const { start, end } = nameAround(text, at, at + length);
  if (end === text.length) return { next: end, spans: [] };
  const name = text.slice(start, end);
  const isParameter = text[end] === '=' && start > 0 && '?&#;'.includes(text[start - 1] as string);
  const kind = isParameter ? names.kindOfParameter(name) : names.kindOf(name);
  if (kind === 'plain') return { next: end, spans: [] };
  const named: NameInText = { scanner, text, start, end, name, kind };
  return isParameter ? parameterValue(named, end + 1, parameter) : valueOf(named);
}

/** The whole name around a word, including `api key` in two words. */
function nameAround(text: string, at: number, wordEnd: number): { readonly start: number; readonly end: number } {
  let [start, end] = [at, wordEnd];
  while (start > Math.max(0, at - maxNameSide) && nameUnit.test(text[start - 1] as string)) start--;
  while (end < Math.min(text.length, wordEnd + maxNameSide) && nameUnit.test(text[end] as string)) end++;
  while (end > wordEnd && /[.$-]/.test(text[end - 1] as string)) end--;
  const word = text.slice(start, end);
  const before = /(?:api|access|secret|private|signing|encryption) $/i.exec(text.slice(Math.max(0, start - 12), start));
  const after = /^ (?:id|key|string|phrase)(?!\w)/i.exec(text.slice(end, end + 9));
  const isSecond = before !== null && /^keys?$/i.test(word);
  const isFirst = after !== null && /(?:api|access|secret|private|session|connection|pass)$/i.test(word);
  return { start: isSecond ? start - before[0].length : start, end: isFirst ? end + after[0].length : end };
}

function valueOf(named: NameInText): SpansFound {
  const { scanner, text, start, end, name, kind } = named;
  const isFlag = name.startsWith('-') && (start === 0 || /[\s"'`,[(=]/.test(text[start - 1] as string));
  const found = scanner.exec(separator, end);
  if (found === undefined) return isFlag ? flagValue(named) : valueWithoutSeparator(named);
  const [whole, before = '', sign = '', after = ''] = found;
  const at = end + whole.length;
  if (sign.startsWith('%')) return parameterValue(named, at, encodedParameter);
  const tight = sign === '=' && before === '' && after === '';
  if (kind === 'secret' || kind === 'hidden') {
    const isVariable = isFlag || /^[A-Z][A-Z0-9_]*$/.test(name);
    if (tight && isVariable) return resultFor(named, shellValue(scanner, at));
    const signIn = authorizationValue(named, at) ?? (sign.endsWith(':') ? cookieValues(named, at) : undefined);
    if (signIn !== undefined) return signIn;
  }
  return unquotedOrQuotedValue(named, at, sign.includes('=') ? (tight ? 'equals' : 'spaced equals') : 'colon');
}

function resultFor({ end }: NameInText, span: SecretSpan | undefined): SpansFound {
  return span === undefined ? { next: end, spans: [] } : { next: Math.max(end, span.end), spans: [span] };
}

function parameterValue(named: NameInText, at: number, pattern: RegExp): SpansFound {
  const { scanner, text, kind } = named;
  const end = scanner.endOfRun(pattern, at);
  const value = text.slice(at, Math.min(end, at + maxValueRead));
  const isNone = value === '' || isPlaceholder(value) || isNonSecretWord(value);
  const isDoubted = kind === 'doubtful' && !(value.length >= 16 && looksRandom(value));
  const isOther = kind === 'digits' && !/^\d{4,8}$/.test(value);
  return resultFor(named, isNone || isDoubted || isOther ? undefined : { start: at, end });
}

/** `--token x` */
function flagValue(named: NameInText): SpansFound {
  const { text, end, kind, scanner } = named;
  const at = scanner.endOfRun(blanks, end);
  if (at === end || text[at] === '-' || kind === 'doubtful' || kind === 'digits') return resultFor(named, undefined);
  const span = shellValue(scanner, at);
  return resultFor(
    named,
    span !== undefined && proseAfterFlag.test(text.slice(span.start, span.end)) ? undefined : span,
  );
}

/** Without a separator: `<password>x</password>`, `PASSWORD 'x'`, `token 3f78…`. */
function valueWithoutSeparator(named: NameInText): SpansFound {
  const { text, start, end, kind, scanner } = named;
  if (kind !== 'secret' && kind !== 'hidden') return resultFor(named, undefined);
  if (text[start - 1] === '<' && text[end] === '>') {
    const span = { start: end + 1, end: scanner.endOfRun(element, end + 1) };
    const value = text.slice(span.start, Math.min(span.end, span.start + maxValueRead));
    return resultFor(named, value.trim() === '' || isNonSecretWord(value) ? undefined : span);
  }
  const at = scanner.endOfRun(blanks, end);
  const isSql = kind === 'hidden' && at > end && text[at] === "'";
  const span = isSql
    ? { start: at + 1, end: scanner.endOfRun(quoted["'"] as RegExp, at + 1) }
    : { start: at, end: scanner.endOfRun(longToken, at) };
  const value = text.slice(span.start, Math.min(span.end, span.start + maxValueRead));
  const fits = isSql ? value !== '' && !/\s/.test(value) : at > end && looksRandom(value);
  return resultFor(named, fits ? span : undefined);
}

function unquotedOrQuotedValue(named: NameInText, at: number, separator: TextValue['separator']): SpansFound {
  const { text, start: nameStart, name, kind, scanner } = named;
  const [opened = '', quote = ''] = scanner.exec(openQuote, at) ?? [];
  const start = at + opened.length;
  const end = quote === '' ? bareEnd(scanner, at) : quotedEnd(scanner, start, quote);
  const value = text.slice(start, Math.min(end, start + maxValueRead)).replaceAll(masks, '');
  const loose: TextValue = {
    text: value,
    name,
    kind,
    quote,
    next: text[end] ?? '',
    separator,
    alone: () => isAlone(text, nameStart, end),
  };
  const isHeader = quote === '' && separator === 'colon' && name.includes('-') && header.test(name);
  const isTrusted = isHeader && (kind === 'secret' || kind === 'hidden');
  const fits = isTrusted ? value !== '' && !isPlaceholder(value) && !isNonSecretWord(value) : isSecretTextValue(loose);
  // A bare value may itself be a name, whose value follows: `passwd == my_secret x`.
  if (fits && quote === '') return { next: named.end, spans: [{ start, end }] };
  return resultFor(named, fits ? { start, end } : undefined);
}

/** Excludes punctuation at the end of a sentence. */
function bareEnd(scanner: TextScanner, at: number): number {
  const end = scanner.endOfRun(bareValue, at);
  const last = scanner.text.slice(Math.max(at, end - 4), end);
  return end - (/[.!?:]*$/.exec(last)?.[0].length ?? 0);
}

/** In a text that was escaped as a whole, the quotes are escaped, too. */
function quotedEnd(scanner: TextScanner, start: number, quote: string): number {
  const plain = quoted[quote];
  if (plain !== undefined) return scanner.endOfRun(plain, start);
  const closed = scanner.text.indexOf(quote, start);
  const last = scanner.endOfRun(line, start);
  return closed === -1 || closed > last ? last : closed;
}

/** True if name and value are alone on their line. */
function isAlone(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 64), start);
  const after = text.slice(end, end + 64);
  return (
    /^[ \t\-*#>|"']*(?:export |set |env )?$/.test(before.slice(before.lastIndexOf('\n') + 1)) &&
    /^[ \t\r]*(?:#.*)?(?:\n|$)/.test(after)
  );
}

const authorization = /^(?:proxy-)?authori[sz]ation$/i;
const cookie = /^(?:set-)?cookie2?$/i;
const cookieAttribute = /^(?:path|expires|max-age|domain|samesite|version|priority)$/i;
const headerLine = /[^\r\n"'`\\]+/y;
const openingQuote = /\\{0,4}["'`]/y;

/** The credentials of an authorization header; undefined for other headers. */
function authorizationValue({ scanner, text, name, end }: NameInText, at: number): SpansFound | undefined {
  if (!authorization.test(name)) return undefined;
  const opened = scanner.endOfRun(openingQuote, at);
  const start = opened + authSchemeLength(text, opened);
  if (start === opened) return undefined;
  const value = text.slice(start, scanner.endOfRun(headerLine, start)).trimEnd();
  const isNone = value === '' || isPlaceholder(value) || isNonSecretWord(value);
  return isNone ? { next: end, spans: [] } : { next: start, spans: [{ start, end: start + value.length }] };
}

/** The values of all cookies. */
function cookieValues({ scanner, text, name }: NameInText, at: number): SpansFound | undefined {
  if (!cookie.test(name)) return undefined;
  const start = scanner.endOfRun(openingQuote, at);
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

/** A value and its surroundings. */
interface TextValue {
  readonly text: string;
  readonly name: string;
  readonly kind: NameKind;
  /** The quote around it, or empty. */
  readonly quote: string;
  /** The character after it. */
  readonly next: string;
  readonly separator: 'colon' | 'equals' | 'spaced equals';
  /** True if name and value are alone on their line. */
  readonly alone: () => boolean;
}

const proseText =
  /[.!?:…]$|\b(?:pass|secret|token|key|cookie|credential|must|required|invalid|enter|your|please|forgot|reset|the|is|at least|characters)/i;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;
const typeName = /^[A-Z][a-z]+(?:[A-Z][a-z]*|8|16|32|64)*$/;
const memberOf = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$/;
const fewDigits = /^\d{4,8}$/;

/**
 * Texts include code, documents and prose: `token: string`, `password = getPassword()`, `secret: see the manual`. So the
 * name alone is not enough, the value must look like a secret.
 */
function isSecretTextValue(value: TextValue): boolean {
  const { text, kind, quote } = value;
  if (text.trim() === '' || isNonSecretWord(text) || isPathLike(text) || url.test(text)) return false;
  if (kind === 'digits') return fewDigits.test(text);
  if (kind === 'doubtful') return isLongRandom(text);
  return quote === '' ? isBareSecret(value) : isQuotedSecret(value);
}

function isLongRandom(text: string): boolean {
  return text.length >= 16 && !/\s/.test(text) && looksRandom(text);
}

function isQuotedSecret({ text, kind }: TextValue): boolean {
  if (isStrictPlaceholder(text)) return false;
  if (/\s/.test(text)) return !proseText.test(text);
  return kind === 'hidden' || text.length >= 16 || !/^[A-Za-z_ -]*$/.test(text);
}

function isBareSecret(value: TextValue): boolean {
  const { text, kind, next, alone } = value;
  if (next === '(' || next === '[' || isPlaceholder(text) || typeName.test(text)) return false;
  if (isLongRandom(text)) return true;
  if (memberOf.test(text)) return false;
  if (/^\d+$/.test(text)) return kind === 'hidden' && text.length >= 4;
  if (/^[A-Za-z_]+$/.test(text)) return kind === 'hidden' && isBareWord(value);
  return text.length >= 6 || (kind === 'hidden' && alone());
}

/** A password with letters only, where hardly anything else is possible. */
function isBareWord({ text, name, separator, alone }: TextValue): boolean {
  if (text.length < 4 || !/^[a-z]+$/.test(text) || name.toLowerCase().includes(text)) return false;
  return separator === 'colon' ? alone() : separator === 'equals';
}
