/** Decides whether a value is a secret, or a reference, an example, a path or a word in the place of one. */

import type { NameKind } from './secret-names.ts';
import type { SecretSpan } from './text-scanner.ts';

/** `$TOKEN`, `${token}`, `$(pass show x)`, `%TOKEN%`, `{{ token }}`, `<token>`, `***`. */
const placeholder =
  /^(?:\$(?:[A-Za-z_]\w*$|[({])|%[A-Za-z_]\w*%$|\{\{[^{}]*\}\}$|<[^<>]*>$|\*+$|x{3,}$|\.{2,}$|…$|your[_ -]|replace[_ -]?me|`)/i;

/** The same for data, where a dollar sign has no special meaning. */
const strictPlaceholder = /^(?:\$\{\w+\}$|\$[A-Z_][A-Z0-9_]*$|\{\{[^{}]*\}\}$|<[^<>]*>$|\*+$|x{3,}$|\.{2,}$|…$)/;

const nonSecretWords = new Set(
  (
    'true false yes no none null nil undefined required optional include omit same-origin string str number integer ' +
    'boolean bool bytes object array any unknown never void redacted inherit'
  ).split(' '),
);

/** Placeholders are never longer. */
const maxLength = 256;

export function isPlaceholder(text: string): boolean {
  return text.length <= maxLength ? placeholder.test(text) : /^(?:\$[({]|`)/.test(text);
}

export function isStrictPlaceholder(text: string): boolean {
  return text.length <= maxLength && strictPlaceholder.test(text);
}

/** True for words that mean "no secret", or that name its type. */
export function isNonSecretWord(text: string): boolean {
  return text.length < 16 && nonSecretWords.has(text.toLowerCase());
}

/** A path says where a secret is stored, not what it is. */
const path =
  /^(?:~|\.{1,2}|[A-Za-z]:|\/(?:home|Users|root|etc|var|tmp|usr|opt|run|mnt|srv|private|app|work|proc|dev))[/\\]/;

export function isPathLike(text: string): boolean {
  return path.test(text);
}

/** Code that refers to a secret instead of containing it. */
const codeReference = /^(?:process\.env|import\.meta|os\.environ|secrets|vars|env|config)\./;

const minEntropy = 3.5;

/** True if a text looks machine-generated rather than written by a person. */
export function looksRandom(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text) && !codeReference.test(text) && entropyOf(text) >= minEntropy;
}

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const unit of text) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** The secret part of a text whose name marks it as secret; undefined if there is none. */
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

const authScheme =
  /(?:basic|bearer|digest|negotiate|ntlm|token|apikey|api-key|oauth|hawk|dpop|ssws|privatetoken|vapid|aws4-hmac-sha256)[ \t]+(?=\S)/iy;

/** The length of the scheme (`Bearer `), which stays visible; the credentials after it do not. */
export function authSchemeLength(value: string, at = 0): number {
  authScheme.lastIndex = at;
  return authScheme.exec(value)?.[0].length ?? 0;
}
