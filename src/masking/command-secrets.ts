/** Secrets in the short options of well-known programs, which no name tells: `curl -u user:x`, `mysql -px`. */

import { isReference } from './references.ts';
import type { Runs } from './runs.ts';
import { shellValue } from './shell-value.ts';
import type { Found, Span } from './span.ts';

interface SecretOption {
  /** The option; what follows it in the same word belongs to it. */
  readonly option: RegExp;
  /** `glued`: the value stands in the same word only. */
  readonly value: 'any' | 'glued';
  /** What of the value is the secret: all of it if not given. */
  readonly after?: RegExp | undefined;
}

const pairAfter = /^[^:]*:/;
const curl: readonly SecretOption[] = [
  { option: /^(?:-u|-U|--user=?|--proxy-user=?)/, value: 'any', after: pairAfter },
  { option: /^(?:-b|--cookie=?)(?=$|[^@])/, value: 'any', after: /^[^=]*=/ },
];
const password: readonly SecretOption[] = [{ option: /^-p/, value: 'any' }];
const glued: readonly SecretOption[] = [{ option: /^-p/, value: 'glued' }];

export const secretOptions: ReadonlyMap<string, readonly SecretOption[]> = new Map([
  ['curl', curl],
  ['sshpass', password],
  ['mysql', glued],
  ['mysqldump', glued],
  ['mysqladmin', glued],
  ['mariadb', glued],
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

/** How far the words of a command are looked at. */
const mostWords = 128;
const blanks = /(?:[ \t]|\\\r?\n)*/y;
/** Also where one command stands in another. */
const gap = /(?:[ \t()`]|\\\r?\n)*/y;
const plainWord = /(?:[^\s"'`;|&()\\]+|\\[^\n]|"[^"\\]*(?:\\.[^"\\]*)*"|'[^']*')+/y;

/** `at` is where what follows the name of the program begins. */
export function commandSecrets(runs: Runs, at: number, options: readonly SecretOption[]): Found {
  const spans: Span[] = [];
  let next = at;
  if (runs.isDone(options, at)) return { next, spans };
  for (let count = 0; count < mostWords; count++) {
    next = skip(gap, runs, next);
    const last = skip(plainWord, runs, next);
    if (last === next) break;
    const found = optionValue(runs, { start: next, end: last }, options);
    if (found !== undefined) spans.push(found);
    next = Math.max(last, found?.end ?? 0);
  }
  runs.setDone(options, next);
  return { next: at, spans };
}

function skip(pattern: RegExp, runs: Runs, at: number): number {
  return at + (runs.exec(pattern, at)?.[0].length ?? 0);
}

function optionValue(runs: Runs, word: Span, options: readonly SecretOption[]): Span | undefined {
  const given = runs.text.slice(word.start, word.end);
  for (const { option, value, after } of options) {
    const length = option.exec(given)?.[0].length;
    if (length === undefined) continue;
    const inWord = length < given.length;
    if (!inWord && value === 'glued') return undefined;
    const at = inWord ? word.start + length : skip(blanks, runs, word.end);
    return part(runs.text, shellValue(runs, at), after);
  }
  return undefined;
}

function part(text: string, span: Span | undefined, after: RegExp | undefined): Span | undefined {
  if (span === undefined || after === undefined) return span;
  const value = text.slice(span.start, span.end);
  const skipped = after.exec(value)?.[0].length;
  if (skipped === undefined || skipped === value.length || isReference(value.slice(skipped))) return undefined;
  return { start: span.start + skipped, end: span.end };
}

/** The same where a command is a list of words: which of them are secrets, and from which character on. */
export function listedSecrets(words: readonly unknown[], program: string): ReadonlyMap<number, number> {
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
