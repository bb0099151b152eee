/** All secrets of one text, in one pass over it: known values, known formats, URLs, and what names tell. */

import { commandSecrets, secretOptions } from './command-secrets.ts';
import { cutSecrets, cutStart } from './cut-secrets.ts';
import { schemeLength } from './header-values.ts';
import { isMasked, maskPattern, maskStart } from './masked.ts';
import { namedSecret } from './named-values.ts';
import { isTalkWord, isReference } from './references.ts';
import { Runs } from './runs.ts';
import { privateKeyEnd, secretFormats } from './secret-formats.ts';
import { formsOf } from './secret-forms.ts';
import type { SecretNames } from './secret-names.ts';
import { type Found, mergeSpans, type Span } from './span.ts';
import { urlSecrets } from './url-secrets.ts';
import { type Word, WordFinder } from './word-finder.ts';

/** What to look at where a word stands: `length` is that of the word. */
type Look = (runs: Runs, at: number, length: number) => Found;

const nameWords =
  'pass pwd secret token credential creds cookie auth key session sessid jwt otp connection connstr bearer kennwort signature';
const parameterWords = 'sig= sid= code= ticket= assertion= pin= pin: cvv= cvv: cvc=';
const mask = new RegExp(maskPattern, 'y');
const base64Unit = /[\w+/=-]/;
const passwordInSql = /identified by (?:password )?'([^'\n]+)/iy;
const credentials = /[\w+/.~:=-]*/y;

/** What is to be found: `known` are values that are secrets wherever they stand, `further` parts of names. */
interface Wanted {
  readonly names: SecretNames;
  readonly known: readonly string[];
  readonly further: readonly string[];
}

export class TextSecrets {
  private readonly finder: WordFinder<Look>;

  private constructor(words: readonly Word<Look>[], bits: 12 | 15) {
    this.finder = new WordFinder(words, bits);
  }

  static of({ names, known, further }: Wanted): TextSecrets {
    return new TextSecrets([maskWord, ...knownWords(known), ...generalWords(names, further)], 15);
  }

  /** Finds nothing but known values. */
  static ofKnown(known: readonly string[]): TextSecrets {
    return new TextSecrets([maskWord, ...knownWords(known)], 12);
  }

  /** False for nearly all texts that hold no secret, and for none that holds one. */
  mayHold(text: string): boolean {
    return this.finder.find(text) !== -1;
  }

  /** In order and apart from each other. */
  find(text: string, runs: Runs = new Runs(text)): readonly Span[] {
    const spans: Span[] = [];
    this.finder.each(text, ({ text: word, tag }, at) => {
      const found = tag(runs, at, word.length);
      for (const each of found.spans) {
        const span = withWholeMasks(each, runs);
        if (span.end > span.start && !isMasked(text.slice(span.start, span.end))) spans.push(span);
      }
      return found.next;
    });
    return mergeSpans(spans);
  }
}

/** No mask is longer. */
const longestMask = 40;

/** A mask is not cut in two. */
function withWholeMasks({ start, end, secret }: Span, runs: Runs): Span {
  const first = maskAround(runs, start);
  const last = maskAround(runs, end);
  if (first === undefined && last === undefined) return { start, end, secret };
  return { start: first?.start ?? start, end: last?.end ?? end };
}

/** The mask that `at` lies inside of. */
function maskAround({ text }: Runs, at: number): Span | undefined {
  const from = Math.max(0, at - longestMask);
  const found = text.slice(from, at + maskStart.length - 1).lastIndexOf(maskStart);
  if (found === -1) return undefined;
  mask.lastIndex = from + found;
  const length = mask.exec(text)?.[0].length ?? 0;
  return from + found + length > at ? { start: from + found, end: from + found + length } : undefined;
}

/** What is masked already is passed over. */
const passed: Look = (runs, at) => ({ next: runs.end(mask, at), spans: [] });
const maskWord: Word<Look> = { text: maskStart, exact: true, tag: passed };

function knownWords(known: readonly string[]): readonly Word<Look>[] {
  const cut: Look = (runs, at) => ({ next: at, spans: cutSecrets(runs, at, known) });
  const words = known.flatMap((secret) =>
    formsOf(secret).map(({ text, inRun }): Word<Look> => {
      const tag: Look = (runs, at, length) => {
        const span = inRun ? wholeRun(runs.text, at, at + length) : { start: at, end: at + length };
        return { next: span.end, spans: [{ ...span, secret }] };
      };
      return { text, exact: true, tag };
    }),
  );
  return known.length === 0 ? [] : [{ text: cutStart, exact: true, tag: cut }, ...words];
}

/** All of the encoded text that a secret is part of: its ends hold bits of the secret, too. */
function wholeRun(text: string, at: number, after: number): Span {
  let [start, end] = [at, after];
  while (start > 0 && base64Unit.test(text[start - 1] as string)) start--;
  while (end < text.length && base64Unit.test(text[end] as string)) end++;
  return { start, end };
}

function generalWords(names: SecretNames, further: readonly string[]): readonly Word<Look>[] {
  const word = (text: string, tag: Look): Word<Look> => ({ text, exact: false, tag });
  const name: Look = (runs, at, length) => namedSecret(runs, at, { length, names });
  const parameter: Look = (runs, at, length) => namedSecret(runs, at, { length: length - 1, names });
  return [
    ...[...nameWords.split(' '), ...further].map((each) => word(each, name)),
    ...parameterWords.split(' ').map((each) => word(each, parameter)),
    ...secretFormats.flatMap(({ starts, pattern }) => starts.map((start) => word(start, ofFormat(pattern)))),
    ...Array.from(secretOptions, ([program, options]) => {
      const command: Look = (runs, at, length) =>
        isCommand(runs.text, at, length) ? commandSecrets(runs, at + length, options) : nothing(at);
      return word(program, command);
    }),
    word('://', address),
    word('bearer ', signIn),
    word('basic ', signIn),
    word('identified by ', identifiedBy),
  ];
}

const address: Look = (runs, at) => ({ next: at + 3, spans: urlSecrets(runs, at) });

function nothing(next: number): Found {
  return { next, spans: [] };
}

function ofFormat(pattern: RegExp): Look {
  const sticky = new RegExp(pattern.source, 'y');
  const isPrivateKey = pattern.source.startsWith('-----');
  return (runs, at) => {
    const found = runs.exec(sticky, at);
    if (found === undefined) return nothing(at);
    const end = isPrivateKey ? privateKeyEnd(runs.text, at) : at + found[0].length;
    return { next: end, spans: [{ start: at, end }] };
  };
}

function isCommand(text: string, at: number, length: number): boolean {
  return (at === 0 || /[\s/;|&("'`]/.test(text[at - 1] as string)) && /[ \t]/.test(text[at + length] ?? '');
}

/** `Bearer x` and `Basic x` anywhere. */
const signIn: Look = (runs, at) => {
  const start = at + schemeLength(runs.text, at);
  const value = runs.text.slice(start, runs.end(credentials, start));
  const isBasic = /b.s/i.test(runs.text.slice(at, at + 3));
  const fits = isBasic ? isPair(value) : isToken(value);
  return fits ? { next: start, spans: [{ start, end: start + value.length }] } : nothing(at);
};

/** How SQL sets a password. */
const identifiedBy: Look = (runs, at) => {
  const [whole = '', value = ''] = runs.exec(passwordInSql, at) ?? [];
  const end = at + whole.length;
  return value === '' ? nothing(at) : { next: end, spans: [{ start: end - value.length, end }] };
};

function isToken(value: string): boolean {
  if (value.length < 8 || isReference(value) || isTalkWord(value)) return false;
  return /\d/.test(value) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) || value.length >= 20;
}

/** `user:password` in base64. */
function isPair(value: string): boolean {
  return value.length >= 4 && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(decode(value));
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('latin1');
}
