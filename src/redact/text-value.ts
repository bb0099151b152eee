/** Decides whether a value in arbitrary text is a secret. */

import { isNonSecretWord, isPathLike, isPlaceholder, isStrictPlaceholder, looksRandom } from './secret-values.ts';
import type { NameKind } from './secret-names.ts';

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
export function isSecretTextValue(value: TextValue): boolean {
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
