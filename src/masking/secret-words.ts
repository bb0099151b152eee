/** Which words of a list are secrets, where the list is a command or the headers of a request. */

import { listedSecrets } from './command-secrets.ts';
import type { Fields } from './map-value.ts';
import type { NameKind, SecretNames } from './secret-names.ts';

export interface SecretWord {
  /** The character it begins with. */
  readonly from: number;
  readonly kind: NameKind;
}

const option = /^--?\w[\w.-]{0,127}$/;
/** In a flat list of headers each name is followed by its value; in a list of names by another name. */
const header = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{1,64})$/i;
const headerName = /^[A-Za-z-]*$/;

const none: ReadonlyMap<number, SecretWord> = new Map();

/** By the place of the word. `program` is what the words are for, if that is said elsewhere. */
export function secretWords(
  list: readonly unknown[],
  program: string,
  names: SecretNames,
): ReadonlyMap<number, SecretWord> {
  if (!list.some((word) => typeof word === 'string' && (word.startsWith('-') || header.test(word)))) return none;
  const found = new Map<number, SecretWord>();
  for (const [at, word] of list.entries()) {
    const next = list[at + 1];
    if (typeof word !== 'string' || typeof next !== 'string') continue;
    const isNamed = option.test(word) ? !next.startsWith('-') : header.test(word) && !headerName.test(next);
    const kind = isNamed ? names.kindOf(word) : 'plain';
    if (kind !== 'plain') found.set(at + 1, { from: 0, kind });
  }
  const [first] = list;
  const own = program === '' && typeof first === 'string';
  const name = (own ? first : program).replace(/^.*[/\\]/s, '').replace(/\.exe$/i, '');
  for (const [at, from] of listedSecrets(own ? list.slice(1) : list, name)) {
    found.set(own ? at + 1 : at, { from, kind: 'hidden' });
  }
  return found;
}

const argumentLists = /^(?:args|argv|arguments|parameters|params)$/i;
const programNames = ['command', 'cmd', 'program', 'executable', 'file', 'bin'];

export function isProgramName(field: string): boolean {
  return programNames.includes(field);
}

/** The program that a list of arguments is for: `{ command: 'curl', args: […] }`. */
export function programOf(fields: Fields, name: string): string {
  if (!argumentLists.test(name)) return '';
  const program = programNames.map((each) => fields[each]).find((each) => typeof each === 'string');
  return typeof program === 'string' ? program : '';
}

/** `[name, value]`, as maps and headers are written as lists. */
export function isPair(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, held] = value as readonly unknown[];
  return typeof name === 'string' && /^[\w. -]{1,64}$/.test(name) && (typeof held !== 'object' || Array.isArray(held));
}
