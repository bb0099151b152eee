/** A glance at the words of a command: mostly it is enough to see that nothing is started, set or hidden by them. */

import type { Command } from 'unbash';
import { isLiteral, isPlain, isPlainTo, isQuoted, literalValue } from './plain-word.ts';
import type { Program } from './program.ts';
import type { CodeScan } from './scanned-code.ts';
import type { ShellWord } from './shell-word.ts';
import { startedByRemote } from './git-names.ts';
import { silentFlag, silentValue, type Silence } from './silence.ts';
import type { Usage } from './usage.ts';

/**
 * What follows for the line. `unseen`: the words have to be read to tell. `nothing`: nothing. `hidden`: only that what
 * the program does is not shown.
 */
export type Glance = 'unseen' | 'nothing' | 'hidden';

/** What follows a name in the line, or the words of a command that another one starts. */
type Items = readonly (Command['suffix'][number] | ShellWord)[];

interface Words {
  readonly suffix: Items;
  /** True: all of them are plain. */
  readonly plain: boolean;
}

/** Says only what reading all arguments would say, too; `plain`: all words are. */
export function glance({ usage }: Program, suffix: Command['suffix'], plain: boolean): Glance {
  return glanceFrom(usage, { suffix, plain }, 0);
}

/** The same of words that have been read, the name first. */
export function glanceAt({ usage }: Program, argv: readonly ShellWord[]): Glance {
  return argv.every(isPlainWord) ? glanceFrom(usage, { suffix: argv, plain: true }, 1) : 'unseen';
}

function isPlainWord(word: ShellWord, index: number): boolean {
  return index === 0 || (word.type === 'literal' && word.value === word.text && isPlain(word.text));
}

function glanceFrom(usage: Usage, words: Words, from: number): Glance {
  const silence = usage.silence();
  if (silence === undefined) return 'unseen';
  if (silence.settled) return 'hidden';
  const { suffix } = words;
  let given = 0;
  let ended = false;
  for (let at = from; at < suffix.length; at += 1) {
    const item = suffix[at];
    if (item === undefined || item.type === 'Assignment') return 'unseen';
    if (item.type !== 'Word' && item.type !== 'literal') continue;
    const { text } = item;
    const start = words.plain ? text.charCodeAt(0) : startOf(text, silence);
    if (start === unsure || (start === plus && usage.plus)) return 'unseen';
    if (start === dash && !ended) {
      const kind = text === '--' && !silence.awaits ? ends : optionKind(usage, silence, text);
      if (kind === 0) return 'unseen';
      if (kind === ends) ended = true;
      else if (kind === silentValue) {
        at = nextWord(suffix, at + 1);
        if (!isValue(words, at, silence)) return 'unseen';
      }
    } else if (silence.awaits) {
      const found = isPlain(text) ? usage.command?.(text) : undefined;
      return found === undefined ? 'unseen' : glanceFrom(found.usage, words, at + 1);
    } else {
      given += 1;
      if (given > silence.operands || (silence.remote && !isNear(text))) return 'unseen';
      if (given === 1 && silence.code !== undefined && !isIdleCode(text, silence.code)) return 'unseen';
      ended ||= usage.stops;
    }
  }
  return silence.opaque ? 'hidden' : 'nothing';
}

const dash = 45;
const plus = 43;
const unsure = 0;
const operand = 97;
const ends = -1;

/** The code of the first letter, where it is a dash or plus; else any that is none. */
function startOf(text: string, { strict }: Silence): number {
  const first = text.charCodeAt(0);
  if (isPlain(text)) return first;
  if (first === dash) return isLongOption(text) ? dash : unsure;
  if (!isLiteral(text) && (strict || mayBecomeSeveral(text))) return unsure;
  return isOperandStart(first, text.charCodeAt(1)) ? operand : unsure;
}

/** Braces, where each word they become may be an option. */
function mayBecomeSeveral(text: string): boolean {
  return text.includes('{') && (text.includes(',') || text.includes('..'));
}

/** `--format="%h %s"`; of a value that is not literal even the name may be open. */
function isLongOption(text: string): boolean {
  const equal = text.indexOf('=');
  return equal > 2 && text.charCodeAt(1) === dash && isPlainTo(text, equal) && isQuoted(text, equal + 1);
}

/** Letters that cannot turn out to be a dash or a plus. */
function isOperandStart(first: number, second: number): boolean {
  const letter = (first | 32) >= 97 && (first | 32) <= 122;
  if (letter || (first >= 46 && first <= 58) || first === 95 || first === 64) return true;
  // `"x`, `'x`, `$x`, `\(`.
  const quotes = first === 34 || first === 39 || first === 36 || first === 92;
  if (quotes)
    return second > 31 && second !== 34 && second !== 39 && second !== 92 && second !== dash && second !== plus;
  // `*`, `?`, `[`, `~`, a backtick.
  return first === 42 || first === 63 || first === 91 || first === 126 || first === 96;
}

function nextWord(suffix: Items, from: number): number {
  let at = from;
  for (
    let item = suffix[at];
    item !== undefined && item.type !== 'Word' && item.type !== 'literal' && item.type !== 'Assignment';
    item = suffix[at]
  )
    at += 1;
  return at;
}

/** A value may be any text, but has to be there. */
function isValue({ suffix, plain }: Words, at: number, { strict }: Silence): boolean {
  const item = suffix[at];
  if (item?.type !== 'Word' && item?.type !== 'literal') return false;
  return plain || isLiteral(item.text) || (!strict && !mayBecomeSeveral(item.text));
}

function isIdleCode(text: string, scan: CodeScan): boolean {
  const code = literalValue(text);
  return code !== undefined && scan(code)?.length === 0;
}

/** A name of a repository for which git starts no helper of that name. */
function isNear(text: string): boolean {
  return isPlain(text) && startedByRemote(text) === undefined;
}

/** How the option takes its value; 0 if it may do something. */
function optionKind(usage: Usage, silence: Silence, text: string): number {
  if (text.length === 1) return 0;
  if (text.charCodeAt(1) === dash || usage.style === 'dash') {
    const equal = text.indexOf('=');
    if (equal === -1) return silence.options.get(text) ?? 0;
    const kind = silence.options.get(text.slice(0, equal)) ?? 0;
    return kind === silentFlag || kind === 0 ? 0 : silentFlag;
  }
  return clusterKind(usage, silence, text);
}

function clusterKind(usage: Usage, silence: Silence, text: string): number {
  if (text.length > 2 && silence.longNames && usage.options.has(text)) return silence.options.get(text) ?? 0;
  const last = text.length - 1;
  for (let at = 1; at <= last; at += 1) {
    const kind = silence.letters[text.charCodeAt(at)] ?? 0;
    if (kind === 0) return 0;
    if (kind !== silentFlag) return at === last ? kind : silentFlag;
  }
  return silentFlag;
}
