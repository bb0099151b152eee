/** Finds known secrets in a text in every form: plain, escaped, percent-encoded, hex, base64, or cut off by a truncation. */

import type { FindAtWord, SecretSpan, TextScanner } from './text-scanner.ts';
import type { SearchWord } from './secret-check.ts';

interface SecretEncoding {
  readonly text: string;
  /** True if the form is part of a longer base64 or hex run; the whole run is then masked. */
  readonly inRun: boolean;
}

/** Shorter secrets would match harmless texts. */
export const minKnownLength = 8;

const base64Unit = /[\w+/=-]/;

export function knownWords(known: readonly string[]): readonly SearchWord<FindAtWord>[] {
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

function encodingsOf(secret: string): readonly SecretEncoding[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const written = new Set(/^[\w.~-]*$/.test(secret) ? [secret] : escapedForms(secret));
  const coded = new Set([hex, hex.toUpperCase(), ...base64Cores(bytes)]);
  const forms = [
    ...Array.from(written, (text) => ({ text, inRun: false })),
    ...Array.from(coded, (text) => ({ text, inRun: true })),
  ];
  return forms.filter(({ text }) => text.length >= minKnownLength);
}

function escapedForms(secret: string): readonly string[] {
  const percent = encodeURIComponent(secret.toWellFormed());
  // Encoders disagree about these characters.
  const wide = percent.replaceAll(/[!'()*]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`);
  const encoded = [percent, wide].flatMap((text) => [
    text,
    text.replaceAll(/%../g, (code) => code.toLowerCase()),
    text.replaceAll('%20', '+'),
  ]);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...encoded,
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    secret.replaceAll("'", `'\\''`),
  ];
}

/** The base64 characters that any longer encoded text must contain, at any offset and in both alphabets. */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.alloc(offset + bytes.length);
    bytes.copy(shifted, offset);
    const text = shifted.toString('base64');
    // The first characters contain bits of the preceding text, the last ones bits of the following text.
    const core = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
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
