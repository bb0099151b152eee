/** Finds all secrets of a text in one pass: known values, known formats, URLs, and named values. */

import { commandSecrets, pipedSecret } from './command-secrets.ts';
import { findNamedSecret } from './named-values.ts';
import { isMasked, maskPattern, maskStart } from './mask-text.ts';
import { authSchemeLength, isNonSecretWord, isPlaceholder, looksRandom } from './secret-values.ts';
import { type FindAtWord, TextScanner, type SpansFound, mergeSpans, type SecretSpan } from './text-scanner.ts';
import { type SearchWord, WordFinder } from './secret-check.ts';
import { privateKeyEnd, secretFormats } from './secret-formats.ts';
import { secretPrograms } from './secret-programs.ts';
import { knownWords } from './known-secrets.ts';
import type { SecretNames } from './secret-names.ts';

const nameWords =
  'pass pwd secret token credential creds cookie auth key session sessid jwt otp connection connstr bearer kennwort signature';
const parameterWords = 'sig= sid= code= ticket= assertion= pin= pin: cvv= cvv: cvc=';
const mask = new RegExp(maskPattern, 'y');
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

function word(text: string, tag: FindAtWord): SearchWord<FindAtWord> {
  return { text, exact: false, tag };
}

function commonWords(names: SecretNames, extraNameParts: readonly string[]): readonly SearchWord<FindAtWord>[] {
  const name: FindAtWord = (scanner, at, length) => findNamedSecret(scanner, at, { length, names });
  const parameter: FindAtWord = (scanner, at, length) => findNamedSecret(scanner, at, { length: length - 1, names });
  return [
    ...[...nameWords.split(' '), ...extraNameParts].map((each) => word(each, name)),
    ...parameterWords.split(' ').map((each) => word(each, parameter)),
    ...secretFormats.flatMap(({ starts, pattern }) => starts.map((start) => word(start, findFormat(pattern)))),
    ...Array.from(secretPrograms, ([name, program]) => {
      const command: FindAtWord = (scanner, at) =>
        isCommand(scanner.text, at, name.length) ? commandSecrets(scanner, at + name.length, program) : noSpans(at);
      // With a blank, short names are long enough to be searched for, and `http` is not found in every address.
      const isWithBlank = name.length < 3 || name.startsWith('http');
      return isWithBlank ? [word(`${name} `, command), word(`${name}\t`, command)] : [word(name, command)];
    }).flat(),
    // In a list of words, the subcommand is another text.
    ...['docker', 'podman'].map((name) => word(name, (_scanner, at) => noSpans(at))),
    word('echo', pipedSecret),
    word('printf', pipedSecret),
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

/** The part of a URL before its path. */
const authority = /[^\s"'`<>\\/?#]*/y;
/** The same for passwords with characters that should have been encoded. */
const looseAuthority = new RegExp(
  `(?:${maskPattern}|[^\\s"'\`<>\\\\@:/?#]){0,64}:(?!\\d{1,5}[/?#])(?:${maskPattern}|[^\\s"'\`<>\\\\@]){1,128}@(?:[^\\s"'\`<>\\\\/?#]*@)?`,
  'y',
);
/** Up to the colon; colons inside a mask do not count. */
const userPart = new RegExp(`^(?:${maskPattern}|[^:])*`);

/** Services whose URL is the secret; the group is the secret part. */
const webhookUrls: readonly RegExp[] = [
  /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/-]+)/iy,
  /(?:\w+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/([\w-]+)/iy,
  /[\w.-]{1,64}\.webhook\.office\.com\/webhookb2\/([\w@/-]+)/iy,
  /outlook\.office(?:365)?\.com\/webhook\/([\w@/-]+)/iy,
  /api\.telegram\.org\/(?:file\/)?bot(\d+:[\w-]+)/iy,
  /hooks\.zapier\.com\/hooks\/catch\/([\w/-]+)/iy,
  /maker\.ifttt\.com\/trigger\/[\w-]{1,64}\/(?:json\/)?with\/key\/([\w-]+)/iy,
];

/** `at` is the position of `://`. */
function urlSecrets(scanner: TextScanner, at: number): readonly SecretSpan[] {
  return [...userInfo(scanner, at), ...webhook(scanner, at + 3)];
}

function userInfo(scanner: TextScanner, at: number): readonly SecretSpan[] {
  const start = at + 3;
  const strict = scanner.exec(authority, start)?.[0] ?? '';
  const given = strict.includes('@') ? strict : (scanner.exec(looseAuthority, start)?.[0] ?? '');
  const end = given.lastIndexOf('@');
  if (end === -1) return [];
  const info = given.slice(0, end);
  const isWeb = /(?:^|[^a-z0-9+.-])https?$/i.test(scanner.text.slice(Math.max(0, at - 12), at));
  const user = userPart.exec(info)?.[0] ?? '';
  const password = info.slice(user.length + 1);
  // On the web, a user name without a password is a token.
  const isToken =
    isWeb && (password === '' || password === 'x-oauth-basic' || (user.length >= 16 && looksRandom(user)));
  const spans: SecretSpan[] = [];
  if (isToken && user !== '' && !isPlaceholder(user)) spans.push({ start, end: start + user.length });
  if (password !== '' && !isPlaceholder(password))
    spans.push({ start: start + user.length + 1, end: start + info.length });
  return spans;
}

function webhook(scanner: TextScanner, start: number): readonly SecretSpan[] {
  for (const hook of webhookUrls) {
    const [whole = '', secret = ''] = scanner.exec(hook, start) ?? [];
    if (secret !== '') return [{ start: start + whole.length - secret.length, end: start + whole.length }];
  }
  return [];
}
