/** Finds the secret words in a list that is a command or the headers of a request. */

import { secretsInArgv } from './command-secrets.ts';
import type { DataFields } from './map-value.ts';
import type { NameKind, SecretNames } from './secret-names.ts';

interface SecretArgument {
  /** The index of its first character. */
  readonly from: number;
  readonly kind: NameKind;
}

const option = /^--?\w[\w.-]{0,127}$/;
/** In a flat list of headers, each name is followed by its value; in a list of names, by another name. */
const header = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{1,64})$/i;
const headerName = /^[A-Za-z-]*$/;

const noSecrets: ReadonlyMap<number, SecretArgument> = new Map();

/** Returns secret words by index. `program` is the program of these arguments, if another field names it. */
export function secretArguments(
  list: readonly unknown[],
  program: string,
  names: SecretNames,
): ReadonlyMap<number, SecretArgument> {
  if (!list.some((word) => typeof word === 'string' && (word.startsWith('-') || header.test(word)))) return noSecrets;
  const found = new Map<number, SecretArgument>();
  for (const [at, word] of list.entries()) {
    const next = list[at + 1];
    if (typeof word !== 'string' || typeof next !== 'string') continue;
    const isNamed = option.test(word) ? !next.startsWith('-') : header.test(word) && !headerName.test(next);
    const kind = isNamed ? names.kindOf(word) : 'plain';
    if (kind !== 'plain') found.set(at + 1, { from: 0, kind });
  }
  const [first] = list;
  const startsWithProgram = program === '' && typeof first === 'string';
  const name = (startsWithProgram ? first : program).replace(/^.*[/\\]/s, '').replace(/\.exe$/i, '');
  for (const [at, from] of secretsInArgv(startsWithProgram ? list.slice(1) : list, name)) {
    found.set(startsWithProgram ? at + 1 : at, { from, kind: 'hidden' });
  }
  return found;
}

const argumentLists = /^(?:args|argv|arguments|parameters|params)$/i;
const programNames = ['command', 'cmd', 'program', 'executable', 'file', 'bin'];

export function isProgramName(field: string): boolean {
  return programNames.includes(field);
}

/** The program for a list of arguments: `{ command: 'curl', args: […] }`. */
export function programOfArguments(fields: DataFields, name: string): string {
  if (!argumentLists.test(name)) return '';
  const program = programNames.map((each) => fields[each]).find((each) => typeof each === 'string');
  return typeof program === 'string' ? program : '';
}

/** `[name, value]`: maps and headers written as lists. */
export function isNameValuePair(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, item] = value as readonly unknown[];
  return typeof name === 'string' && /^[\w. -]{1,64}$/.test(name) && (typeof item !== 'object' || Array.isArray(item));
}
