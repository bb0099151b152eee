/**
 * Decides whether a value in arbitrary text is a secret. Texts include code, documents and prose: `token: string`,
 * `password = getPassword()`, `secret: see the manual`. So the name alone is not enough, the value must look like a
 * secret.
 */

import { looksRandom } from '../secrets/looks-random.ts';
import {
  isPathLike,
  isNonSecretWord,
  isPlaceholder,
  isStrictPlaceholder,
  isProseWord,
} from '../secrets/placeholders.ts';
import type { NameKind } from '../secrets/secret-names.ts';

/** A value and its surroundings. */
export interface TextValue {
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
  /** True if it is one of several arguments. */
  readonly argument: boolean;
}

const proseText =
  /[.!?:…]$|\b(?:pass|secret|token|key|cookie|credential|must|required|invalid|enter|your|please|forgot|reset|the|is|at least|characters)/i;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;
const typeName = /^[A-Z][a-z]+(?:[A-Z][a-z]*|8|16|32|64)*$/;
const memberOf = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$/;
const ofSecrets = /^[A-Za-z_$][\w$]*$/;
const secretWord = /pass|pwd|token|secret|key|cred|cookie|auth/i;
const fewDigits = /^\d{4,8}$/;

export function isSecretTextValue(value: TextValue): boolean {
  const { text, kind, quote } = value;
  const isWord = kind === 'hidden' ? isNonSecretWord : isProseWord;
  if (text.trim() === '' || isWord(text) || isPathLike(text) || url.test(text)) return false;
  if (kind === 'digits') return fewDigits.test(text);
  if (kind === 'doubtful') return isLongRandom(text);
  return quote === '' ? isBareSecret(value) : isQuotedSecret(value);
}

function isLongRandom(text: string): boolean {
  return text.length >= 16 && !/\s/.test(text) && looksRandom(text);
}

function isQuotedSecret({ text, kind, quote, name, separator }: TextValue): boolean {
  const mayBePlaceholder = separator !== 'colon' || quote.endsWith('`');
  if (
    mayBePlaceholder ? isPlaceholder(text) || (quote.endsWith('`') && text.includes('${')) : isStrictPlaceholder(text)
  )
    return false;
  if (/\s/.test(text)) return !proseText.test(text);
  if (/^[A-Za-z]+$/.test(text) && name.toLowerCase().includes(text.toLowerCase())) return false;
  return kind === 'hidden' || text.length >= 16 || !/^[A-Za-z_ -]*$/.test(text);
}

function isBareSecret(value: TextValue): boolean {
  const { text, kind, next, alone } = value;
  if (next === '(' || next === '[' || isPlaceholder(text) || typeName.test(text)) return false;
  if (isLongRandom(text)) return true;
  if (memberOf.test(text)) return false;
  if (/^\d+$/.test(text)) return kind === 'hidden' && text.length >= 4;
  if (/^[A-Za-z_]+$/.test(text)) return kind === 'hidden' && isBareWord(value);
  const isName = ofSecrets.test(text) && secretWord.test(text);
  return (text.length >= 6 && !isName) || (kind === 'hidden' && alone());
}

/** A password with letters only, where hardly anything else is possible. */
function isBareWord({ text, name, separator, alone, argument }: TextValue): boolean {
  if (text.length < 4 || !/^[a-z]+$/.test(text) || name.toLowerCase().includes(text)) return false;
  return separator === 'colon' ? alone() : separator === 'equals' && !argument;
}
