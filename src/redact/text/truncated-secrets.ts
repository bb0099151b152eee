/** Known secrets that were cut in two: a truncated text may still contain the start or the end of one. */

import type { TextScanner } from './text-scanner.ts';
import type { SecretSpan } from './secret-span.ts';

/** How every truncation note starts (`cutText`, the output of commands). */
export const truncationMark = '… [cut: ';

const truncationNote = /… \[cut: [^\]]{1,64}\](?: …)?\n?/y;
/** A shorter part reveals nothing. */
const minLength = 4;

/** `at` is the start of a truncation note. */
export function truncatedSecrets(scanner: TextScanner, at: number, known: readonly string[]): readonly SecretSpan[] {
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
