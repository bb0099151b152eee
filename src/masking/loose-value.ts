/**
 * Whether a value in a text of any kind is a secret. Texts are code, documents and talk, too: `token: string`,
 * `password = getPassword()`, `secret: see the manual`. What a name says is believed only if the value fits.
 */

import { looksRandom } from './looks-random.ts';
import { isPath, isPlainWord, isReference, isStrictReference, isTalkWord } from './references.ts';
import type { NameKind } from './secret-names.ts';

/** A value and what stands around it. */
export interface LooseValue {
  readonly text: string;
  readonly name: string;
  readonly kind: NameKind;
  /** The quote it stands in, if any. */
  readonly quote: string;
  /** What follows it. */
  readonly next: string;
  readonly separator: 'colon' | 'equals' | 'spaced equals';
  /** True if name and value have a line of their own. */
  readonly alone: () => boolean;
  /** True if it is one of several arguments. */
  readonly argument: boolean;
}

const prose =
  /[.!?:…]$|\b(?:pass|secret|token|key|cookie|credential|must|required|invalid|enter|your|please|forgot|reset|the|is|at least|characters)/i;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;
const typeName = /^[A-Z][a-z]+(?:[A-Z][a-z]*|8|16|32|64)*$/;
const memberOf = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$/;
const ofSecrets = /^[A-Za-z_$][\w$]*$/;
const secretWord = /pass|pwd|token|secret|key|cred|cookie|auth/i;
const few = /^\d{4,8}$/;

export function isLooseSecret(value: LooseValue): boolean {
  const { text, kind, quote } = value;
  const isWord = kind === 'hidden' ? isPlainWord : isTalkWord;
  if (text.trim() === '' || isWord(text) || isPath(text) || url.test(text)) return false;
  if (kind === 'digits') return few.test(text);
  if (kind === 'doubtful') return isLong(text);
  return quote === '' ? isBareSecret(value) : isQuotedSecret(value);
}

function isLong(text: string): boolean {
  return text.length >= 16 && !/\s/.test(text) && looksRandom(text);
}

function isQuotedSecret({ text, kind, quote, name, separator }: LooseValue): boolean {
  const filled = separator !== 'colon' || quote.endsWith('`');
  if (filled ? isReference(text) || (quote.endsWith('`') && text.includes('${')) : isStrictReference(text))
    return false;
  if (/\s/.test(text)) return !prose.test(text);
  if (/^[A-Za-z]+$/.test(text) && name.toLowerCase().includes(text.toLowerCase())) return false;
  return kind === 'hidden' || text.length >= 16 || !/^[A-Za-z_ -]*$/.test(text);
}

function isBareSecret(value: LooseValue): boolean {
  const { text, kind, next, alone } = value;
  if (next === '(' || next === '[' || isReference(text) || typeName.test(text)) return false;
  if (isLong(text)) return true;
  if (memberOf.test(text)) return false;
  if (/^\d+$/.test(text)) return kind === 'hidden' && text.length >= 4;
  if (/^[A-Za-z_]+$/.test(text)) return kind === 'hidden' && isBareWord(value);
  const isName = ofSecrets.test(text) && secretWord.test(text);
  return (text.length >= 6 && !isName) || (kind === 'hidden' && alone());
}

/** A password of letters only, where it can hardly be anything else. */
function isBareWord({ text, name, separator, alone, argument }: LooseValue): boolean {
  if (text.length < 4 || !/^[a-z]+$/.test(text) || name.toLowerCase().includes(text)) return false;
  return separator === 'colon' ? alone() : separator === 'equals' && !argument;
}
