/** Finds all secrets of a text in one pass: known values, known formats, URLs, and named values. */

import { commandSecrets, secretOptions } from './command-secrets.ts';
import { findNamedSecret } from './named-values.ts';
import { isMasked, maskPattern, maskStart } from './mask-text.ts';
import { authSchemeLength, isNonSecretWord, isPlaceholder } from './secret-values.ts';
import { TextScanner, type SpansFound, mergeSpans, type SecretSpan } from './text-scanner.ts';
import { type SearchWord, WordFinder } from './word-finder.ts';
import { privateKeyEnd, secretFormats } from './secret-formats.ts';
import { encodingsOf } from './secret-encodings.ts';
import type { SecretNames } from './secret-names.ts';
import { urlSecrets } from './url-secrets.ts';

/** Finds secrets at a word; `length` is the length of the word. */
type FindAtWord = (scanner: TextScanner, at: number, length: number) => SpansFound;

const nameWords =
  'pass pwd secret token credential creds cookie auth key session sessid jwt otp connection connstr bearer kennwort signature';
const parameterWords = 'sig= sid= code= ticket= assertion= pin= pin: cvv= cvv: cvc=';
const mask = new RegExp(maskPattern, 'y');
const base64Unit = /[\w+/=-]/;
const passwordInSql = /identified by (?:password )?'([^'\n]+)/iy;
const credentials = /[\w+/.~:=-]*/y;

/** `known` are values that are always secret, `extraNameParts` are parts of additional names. */
interface FinderOptions {
  readonly names: SecretNames;
  readonly known: readonly string[];
  readonly extraNameParts: readonly string[];
}

export class SecretFinder {
  /** Finds something in every text with a secret, and in few texts without one. */
  readonly words: WordFinder<FindAtWord>;

  private constructor(words: readonly SearchWord<FindAtWord>[], bits: 12 | 15) {
    this.words = new WordFinder(words, bits);
  }

  static of({ names, known, extraNameParts }: FinderOptions): SecretFinder {
    return new SecretFinder([maskWord, ...knownWords(known), ...commonWords(names, extraNameParts)], 15);
  }

  /** Finds known values only. */
  static ofKnown(known: readonly string[]): SecretFinder {
    return new SecretFinder([maskWord, ...knownWords(known)], 12);
  }

  /** {@link find}; a text that is too large to search is one secret as a whole. */
  findAll(text: string): readonly SecretSpan[] {
    try {
      return this.find(text);
    } catch {
      return [{ start: 0, end: text.length }];
    }
  }

  /** Returns the secrets in order, without overlaps. */
  find(text: string, scanner: TextScanner = new TextScanner(text)): readonly SecretSpan[] {
    const spans: SecretSpan[] = [];
    this.words.each(text, ({ text: word, tag }, at) => {
      const found = tag(scanner, at, word.length);
      for (const each of found.spans) {
        const span = extendToWholeMasks(each, scanner);
        if (span.end > span.start && !isMasked(text.slice(span.start, span.end))) spans.push(span);
      }
      return found.next;
    });
    return mergeSpans(spans);
  }
}

/** No mask is longer. */
const maxMaskLength = 40;

/** Avoids cutting a mask in two. */
function extendToWholeMasks({ start, end, secret }: SecretSpan, scanner: TextScanner): SecretSpan {
  const first = maskAround(scanner, start);
  const last = maskAround(scanner, end);
  if (first === undefined && last === undefined) return { start, end, secret };
  return { start: first?.start ?? start, end: last?.end ?? end };
}

/** The mask that contains the position `at`. */
function maskAround({ text }: TextScanner, at: number): SecretSpan | undefined {
  const from = Math.max(0, at - maxMaskLength);
  const found = text.slice(from, at + maskStart.length - 1).lastIndexOf(maskStart);
  if (found === -1) return undefined;
  mask.lastIndex = from + found;
  const length = mask.exec(text)?.[0].length ?? 0;
  return from + found + length > at ? { start: from + found, end: from + found + length } : undefined;
}

/** Skips existing masks. */
const skipMask: FindAtWord = (scanner, at) => ({ next: scanner.endOfRun(mask, at), spans: [] });
const maskWord: SearchWord<FindAtWord> = { text: maskStart, exact: true, tag: skipMask };

function knownWords(known: readonly string[]): readonly SearchWord<FindAtWord>[] {
  const cut: FindAtWord = (scanner, at) => ({ next: at, spans: truncatedSecrets(scanner, at, known) });
  const words = known.flatMap((secret) =>
    encodingsOf(secret).map(({ text, inRun }): SearchWord<FindAtWord> => {
      const tag: FindAtWord = (scanner, at, length) => {
        const span = inRun ? wholeEncodedRun(scanner.text, at, at + length) : { start: at, end: at + length };
        return { next: span.end, spans: [{ ...span, secret }] };
      };
      return { text, exact: true, tag };
    }),
  );
  return known.length === 0 ? [] : [{ text: truncationMark, exact: true, tag: cut }, ...words];
}

/** The whole encoded run that contains a secret: its ends contain bits of the secret, too. */
function wholeEncodedRun(text: string, at: number, after: number): SecretSpan {
  let [start, end] = [at, after];
  while (start > 0 && base64Unit.test(text[start - 1] as string)) start--;
  while (end < text.length && base64Unit.test(text[end] as string)) end++;
  return { start, end };
}

function commonWords(names: SecretNames, extraNameParts: readonly string[]): readonly SearchWord<FindAtWord>[] {
  const word = (text: string, tag: FindAtWord): SearchWord<FindAtWord> => ({ text, exact: false, tag });
  const name: FindAtWord = (scanner, at, length) => findNamedSecret(scanner, at, { length, names });
  const parameter: FindAtWord = (scanner, at, length) => findNamedSecret(scanner, at, { length: length - 1, names });
  return [
    ...[...nameWords.split(' '), ...extraNameParts].map((each) => word(each, name)),
    ...parameterWords.split(' ').map((each) => word(each, parameter)),
    ...secretFormats.flatMap(({ starts, pattern }) => starts.map((start) => word(start, findFormat(pattern)))),
    ...Array.from(secretOptions, ([program, options]) => {
      const command: FindAtWord = (scanner, at, length) =>
        isCommand(scanner.text, at, length) ? commandSecrets(scanner, at + length, options) : noSpans(at);
      return word(program, command);
    }),
    word('://', findUrlSecrets),
    word('bearer ', findCredentials),
    word('basic ', findCredentials),
    word('identified by ', findSqlPassword),
  ];
}

const findUrlSecrets: FindAtWord = (scanner, at) => ({ next: at + 3, spans: urlSecrets(scanner, at) });

function noSpans(next: number): SpansFound {
  return { next, spans: [] };
}

function findFormat(pattern: RegExp): FindAtWord {
  const sticky = new RegExp(pattern.source, 'y');
  const isPrivateKey = pattern.source.startsWith('-----');
  return (scanner, at) => {
    const found = scanner.exec(sticky, at);
    if (found === undefined) return noSpans(at);
    const end = isPrivateKey ? privateKeyEnd(scanner.text, at) : at + found[0].length;
    return { next: end, spans: [{ start: at, end }] };
  };
}

function isCommand(text: string, at: number, length: number): boolean {
  return (at === 0 || /[\s/;|&("'`]/.test(text[at - 1] as string)) && /[ \t]/.test(text[at + length] ?? '');
}

/** `Bearer x` and `Basic x` anywhere. */
const findCredentials: FindAtWord = (scanner, at) => {
  const start = at + authSchemeLength(scanner.text, at);
  const value = scanner.text.slice(start, scanner.endOfRun(credentials, start));
  const isBasic = /b.s/i.test(scanner.text.slice(at, at + 3));
  const fits = isBasic ? isBasicCredentials(value) : isBearerToken(value);
  return fits ? { next: start, spans: [{ start, end: start + value.length }] } : noSpans(at);
};

/** How SQL sets a password. */
const findSqlPassword: FindAtWord = (scanner, at) => {
  const [whole = '', value = ''] = scanner.exec(passwordInSql, at) ?? [];
  const end = at + whole.length;
  return value === '' ? noSpans(at) : { next: end, spans: [{ start: end - value.length, end }] };
};

function isBearerToken(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || isNonSecretWord(value)) return false;
  return /\d/.test(value) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) || value.length >= 20;
}

/** `user:password` in base64. */
function isBasicCredentials(value: string): boolean {
  return value.length >= 4 && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(decode(value));
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('latin1');
}

/** How every truncation note starts (`cutText`, the output of commands). */
const truncationMark = '… [cut: ';

const truncationNote = /… \[cut: [^\]]{1,64}\](?: …)?\n?/y;
/** A shorter part reveals nothing. */
const minLength = 4;

/** `at` is the start of a truncation note. */
function truncatedSecrets(scanner: TextScanner, at: number, known: readonly string[]): readonly SecretSpan[] {
  const { text } = scanner;
  const before = text[at - 1] === '\n' ? at - 1 : at;
  const after = at + (scanner.exec(truncationNote, at)?.[0].length ?? 0);
  return known.flatMap((secret) => [...beginningOf(secret, text, before), ...endOf(secret, text, after)]);
}

function beginningOf(secret: string, text: string, end: number): readonly SecretSpan[] {
  const first = secret.slice(0, minLength);
  const window = text.slice(Math.max(0, end - secret.length), end);
  for (let at = window.indexOf(first); at !== -1; at = window.indexOf(first, at + 1)) {
    const left = window.slice(at);
    if (secret.startsWith(left)) return [{ start: end - left.length, end, secret }];
  }
  return [];
}

function endOf(secret: string, text: string, start: number): readonly SecretSpan[] {
  const last = secret.slice(-minLength);
  const window = text.slice(start, start + secret.length);
  for (let at = window.lastIndexOf(last); at !== -1; at = at === 0 ? -1 : window.lastIndexOf(last, at - 1)) {
    if (secret.endsWith(window.slice(0, at + minLength))) return [{ start, end: start + at + minLength, secret }];
  }
  return [];
}
