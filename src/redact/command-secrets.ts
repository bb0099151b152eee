/** Secrets in commands, as text or as a list of words. */

import { CommandWords, type SecretProgram, secretPrograms } from './secret-programs.ts';
import { isPlaceholder, isNonSecretWord } from './secret-values.ts';
import type { FindAtWord, TextScanner, SpansFound, SecretSpan } from './text-scanner.ts';
import type { DataFields } from './map-value.ts';
import type { NameKind, SecretNames } from './secret-names.ts';

/** How many words of a command are searched. */
const maxWords = 128;
const blanks = /(?:[ \t]|\\\r?\n)*/y;
/** Also matches the start of a nested command. */
const gap = /(?:[ \t()`]|\\\r?\n)*/y;
const plainWord = /(?:[^\s"'`;|&()\\]+|\\[^\n]|"[^"\\]*(?:\\.[^"\\]*)*"|'[^']*')+/y;

/** `at` is the position after the program name. */
export function commandSecrets(scanner: TextScanner, at: number, program: SecretProgram): SpansFound {
  const spans: SecretSpan[] = [];
  let next = at;
  if (scanner.isDone(program, at)) return { next, spans };
  const words = new CommandWords(program);
  for (let count = 0; count < maxWords && !words.isOver; count++) {
    next = skipPattern(gap, scanner, next);
    const last = skipPattern(plainWord, scanner, next);
    if (last === next) break;
    const found = secretOfWord(scanner, { start: next, end: last }, words);
    if (found !== undefined) spans.push(found);
    if ((found?.end ?? 0) > last) words.skipValue();
    next = Math.max(last, found?.end ?? 0);
  }
  scanner.setDone(program, next);
  return { next: at, spans };
}

function skipPattern(pattern: RegExp, scanner: TextScanner, at: number): number {
  return at + (scanner.exec(pattern, at)?.[0].length ?? 0);
}

function secretOfWord(scanner: TextScanner, { start, end }: SecretSpan, words: CommandWords): SecretSpan | undefined {
  const { text } = scanner;
  const found = words.read(text.slice(start, end));
  if (found === undefined) return undefined;
  const at = found.place === 'this word' ? start + found.from : skipPattern(blanks, scanner, end);
  if (found.place === 'next word, unless it is an option' && text[at] === '-') return undefined;
  return secretPart(text, shellValue(scanner, at), found.after);
}

function secretPart(text: string, span: SecretSpan | undefined, after: RegExp | undefined): SecretSpan | undefined {
  if (span === undefined || after === undefined) return span;
  const value = text.slice(span.start, span.end);
  const skipped = after.exec(value)?.[0].length;
  if (skipped === undefined || skipped === value.length || isPlaceholder(value.slice(skipped))) return undefined;
  return { start: span.start + skipped, end: span.end };
}

/** A password that is piped into a program: `echo x | sudo -S ls`, `echo user:x | chpasswd`. */
const piped =
  /(?:echo|printf)(?:[ \t]+-[neE]+)?[ \t]+(?:'([^'\n]{1,256})'|"([^"\n$`\\]{1,256})"|([^\s"'`;|&<>()$\\]{1,256}))[ \t]*\|[ \t]*([^\n|;&]{1,256})/iy;
const readsPassword =
  /^(?:sudo(?:[ \t]+-\w+)*?[ \t]+-[A-Za-z]*S\b|(?:sudo[ \t]+)?(?:chpasswd|passwd[ \t]+--stdin)\b|.*[ \t]--(?:password-stdin|with-token|passphrase-fd[ =]0)\b)/;

export const pipedSecret: FindAtWord = (scanner, at) => {
  const found = scanner.exec(piped, at);
  const [whole = '', single, double, bare, receiver = ''] = found ?? [];
  const value = single ?? double ?? bare ?? '';
  if (found === undefined || !readsPassword.test(receiver)) return { next: at, spans: [] };
  const start = at + whole.indexOf(value, whole.search(/[ \t]/));
  const after = /^(?:sudo[ \t]+)?chpasswd/.test(receiver) ? /^[^:]*:/ : undefined;
  const span = secretPart(scanner.text, secretLiteral(scanner.text, { start, end: start + value.length }), after);
  return { next: at, spans: span === undefined ? [] : [span] };
};

/** The same for a command as a list of words. Returns the secret words by index, with their first secret character. */
function secretsInArgv(list: readonly unknown[], name: string): ReadonlyMap<number, number> {
  const secrets = new Map<number, number>();
  const [program, first] = programOf(list, name);
  if (program === undefined) return secrets;
  const words = new CommandWords(program);
  for (let index = first; index < list.length && !words.isOver; index++) {
    const word = list[index];
    const found = typeof word === 'string' ? words.read(word) : undefined;
    if (found === undefined) continue;
    const [at, from] = found.place === 'this word' ? [index, found.from] : [index + 1, 0];
    const text = list[at];
    if (typeof text !== 'string' || (found.place === 'next word, unless it is an option' && text.startsWith('-')))
      continue;
    const skipped = found.after === undefined ? 0 : found.after.exec(text.slice(from))?.[0].length;
    if (skipped !== undefined && from + skipped < text.length) secrets.set(at, from + skipped);
  }
  return secrets;
}

/** The program of a list, and the index of the first word after its name and subcommands. */
function programOf(list: readonly unknown[], name: string): readonly [SecretProgram | undefined, number] {
  for (const count of [2, 1, 0]) {
    const subcommands = list.slice(0, count).filter((word) => typeof word === 'string' && word.length < 32);
    const program = subcommands.length < count ? undefined : secretPrograms.get([name, ...subcommands].join(' '));
    if (program !== undefined) return [program, count];
  }
  return [undefined, 0];
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
