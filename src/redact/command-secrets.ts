/**
 * Secrets in commands, as text or as a list of words. Short options of well-known programs have no telling name:
 * `curl -u user:x`, `mysql -px`.
 */

import { isPlaceholder, isNonSecretWord } from './secret-values.ts';
import type { TextScanner, SpansFound, SecretSpan } from './text-scanner.ts';
import type { DataFields } from './map-value.ts';
import type { NameKind, SecretNames } from './secret-names.ts';

interface SecretOption {
  /** The option; the rest of the same word is its value. */
  readonly option: RegExp;
  /** `glued`: the value is in the same word only. */
  readonly value: 'any' | 'glued';
  /** The part before the secret; without it, the whole value is secret. */
  readonly after?: RegExp | undefined;
}

const userPrefix = /^[^:]*:/;
const curl: readonly SecretOption[] = [
  { option: /^(?:-u|-U|--user=?|--proxy-user=?)/, value: 'any', after: userPrefix },
  { option: /^(?:-b|--cookie=?)(?=$|[^@])/, value: 'any', after: /^[^=]*=/ },
];
const password: readonly SecretOption[] = [{ option: /^-p/, value: 'any' }];
const gluedPassword: readonly SecretOption[] = [{ option: /^-p/, value: 'glued' }];

export const secretOptions: ReadonlyMap<string, readonly SecretOption[]> = new Map([
  ['curl', curl],
  ['sshpass', password],
  ['mysql', gluedPassword],
  ['mysqldump', gluedPassword],
  ['mysqladmin', gluedPassword],
  ['mariadb', gluedPassword],
  ['docker login', password],
  ['podman login', password],
  ['mongosh', password],
  ['mongodump', password],
  ['redis-cli', [{ option: /^(?:-a|--pass)$/, value: 'any' }]],
  ['ldapsearch', [{ option: /^-w/, value: 'any' }]],
  ['ldapmodify', [{ option: /^-w/, value: 'any' }]],
  ['smbclient', [{ option: /^-U/, value: 'any', after: /^[^%]*%/ }]],
  ['sqlcmd', [{ option: /^-P/, value: 'any' }]],
  ['openssl', [{ option: /^-(?:passin|passout|pass|k)$/, value: 'any', after: /^(?:pass:)?/ }]],
]);

/** How many words of a command are searched. */
const maxWords = 128;
const blanks = /(?:[ \t]|\\\r?\n)*/y;
/** Also matches the start of a nested command. */
const gap = /(?:[ \t()`]|\\\r?\n)*/y;
const plainWord = /(?:[^\s"'`;|&()\\]+|\\[^\n]|"[^"\\]*(?:\\.[^"\\]*)*"|'[^']*')+/y;

/** `at` is the position after the program name. */
export function commandSecrets(scanner: TextScanner, at: number, options: readonly SecretOption[]): SpansFound {
  const spans: SecretSpan[] = [];
  let next = at;
  if (scanner.isDone(options, at)) return { next, spans };
  for (let count = 0; count < maxWords; count++) {
    next = skipPattern(gap, scanner, next);
    const last = skipPattern(plainWord, scanner, next);
    if (last === next) break;
    const found = optionValue(scanner, { start: next, end: last }, options);
    if (found !== undefined) spans.push(found);
    next = Math.max(last, found?.end ?? 0);
  }
  scanner.setDone(options, next);
  return { next: at, spans };
}

function skipPattern(pattern: RegExp, scanner: TextScanner, at: number): number {
  return at + (scanner.exec(pattern, at)?.[0].length ?? 0);
}

function optionValue(scanner: TextScanner, word: SecretSpan, options: readonly SecretOption[]): SecretSpan | undefined {
  const given = scanner.text.slice(word.start, word.end);
  for (const { option, value, after } of options) {
    const length = option.exec(given)?.[0].length;
    if (length === undefined) continue;
    const inWord = length < given.length;
    if (!inWord && value === 'glued') return undefined;
    const at = inWord ? word.start + length : skipPattern(blanks, scanner, word.end);
    return secretPart(scanner.text, shellValue(scanner, at), after);
  }
  return undefined;
}

function secretPart(text: string, span: SecretSpan | undefined, after: RegExp | undefined): SecretSpan | undefined {
  if (span === undefined || after === undefined) return span;
  const value = text.slice(span.start, span.end);
  const skipped = after.exec(value)?.[0].length;
  if (skipped === undefined || skipped === value.length || isPlaceholder(value.slice(skipped))) return undefined;
  return { start: span.start + skipped, end: span.end };
}

/** The same for a command as a list of words. Returns the secret words by index, with their first secret character. */
function secretsInArgv(words: readonly unknown[], program: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const first = typeof words[0] === 'string' ? words[0] : '';
  const options = secretOptions.get(program) ?? secretOptions.get(`${program} ${first}`);
  for (const [index, word] of words.entries()) {
    if (options === undefined || typeof word !== 'string') continue;
    for (const { option, value, after } of options) {
      const length = option.exec(word)?.[0].length;
      if (length === undefined || (length === word.length && value === 'glued')) continue;
      const at = length < word.length ? index : index + 1;
      const text = words[at];
      if (typeof text !== 'string') continue;
      const start = at === index ? length : 0;
      const skipped = after === undefined ? 0 : after.exec(text.slice(start))?.[0].length;
      if (skipped !== undefined && start + skipped < text.length) found.set(at, start + skipped);
    }
  }
  return found;
}

const word = /(?:[^\s"'`;|&<>()\\$]+|\\.|\$(?![({A-Za-z_])|"[^"\\`$]*(?:(?:\\.|\$(?![({]))[^"\\`$]*)*"|'[^']*')*/y;
/** Ends before a substitution: what it does must stay visible. */
const openDouble = /"([^"\\`$\n]*(?:(?:\\.|\$(?![({]))[^"\\`$\n]*)*)/y;
const openSingle = /'([^'\n]*)/y;
const simple = /^(["'])([^"'\\]*)\1$/;

/** The literal part of the word at `at`; undefined if it is empty or not a secret. */
export function shellValue(scanner: TextScanner, at: number): SecretSpan | undefined {
  const { text } = scanner;
  const whole = scanner.exec(word, at)?.[0] ?? '';
  const [, quote = '', inside = ''] = simple.exec(whole) ?? [];
  if (quote !== '') return secretLiteral(text, { start: at + 1, end: at + 1 + inside.length });
  const end = at + whole.length;
  const openQuoted = text[end] === '"' ? openDouble : openSingle;
  const [opened = '', more = ''] = scanner.exec(openQuoted, end) ?? [];
  const start = whole === '' && opened !== '' ? at + 1 : at;
  return secretLiteral(text, { start, end: more === '' ? end : end + opened.length });
}

function secretLiteral(text: string, { start, end }: SecretSpan): SecretSpan | undefined {
  const value = text.slice(start, end);
  return value.trim() === '' || isPlaceholder(value) || isNonSecretWord(value) ? undefined : { start, end };
}

/** A secret word in a list that is a command or the headers of a request. */
interface SecretArgument {
  /** The index of its first character. */
  readonly from: number;
  readonly kind: NameKind;
}

const longOption = /^--?\w[\w.-]{0,127}$/;
/** In a flat list of headers, each name is followed by its value; in a list of names, by another name. */
const secretHeader = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{1,64})$/i;
const headerName = /^[A-Za-z-]*$/;

const noSecrets: ReadonlyMap<number, SecretArgument> = new Map();

/** Returns secret words by index. `program` is the program of these arguments, if another field names it. */
export function secretArguments(
  list: readonly unknown[],
  program: string,
  names: SecretNames,
): ReadonlyMap<number, SecretArgument> {
  if (!list.some((word) => typeof word === 'string' && (word.startsWith('-') || secretHeader.test(word))))
    return noSecrets;
  const found = new Map<number, SecretArgument>();
  for (const [at, word] of list.entries()) {
    const next = list[at + 1];
    if (typeof word !== 'string' || typeof next !== 'string') continue;
    const isNamed = longOption.test(word) ? !next.startsWith('-') : secretHeader.test(word) && !headerName.test(next);
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
/** Fields that name the program of a list of arguments. */
export const programNames: readonly string[] = ['command', 'cmd', 'program', 'executable', 'file', 'bin'];

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
