/** A glance at the words of a command: mostly it is enough to see that nothing is started, set or hidden by them. */

import type { Command } from 'unbash';
import { isLiteral, isPlain, isPlainUpTo, isQuoted, literalValue } from '../words/plain-word.ts';
import type { Program } from '../usage/program.ts';
import type { CodeScan } from '../embedded-code/code-scan.ts';
import type { ShellWord } from '../words/shell-word.ts';
import { remoteHelperOf } from './git-names.ts';
import { skippableFlag, skippableValue, type QuickScanTable } from '../usage/quick-scan-table.ts';
import type { ProgramUsage } from '../usage/program-usage.ts';

/**
 * What follows for the line. `unseen`: the words have to be read to tell. `nothing`: nothing. `hidden`: only that what
 * the program does is not shown.
 */
export type QuickScanResult = 'unseen' | 'nothing' | 'hidden';

/** What follows a name in the line, or the words of a command that another one starts. */
type ScannedItems = readonly (Command['suffix'][number] | ShellWord)[];

interface ScannedWords {
  readonly suffix: ScannedItems;
  /** True: all of them are plain. */
  readonly plain: boolean;
}

/** Says only what reading all arguments would say, too; `plain`: all words are. */
export function quickScan({ usage }: Program, suffix: Command['suffix'], plain: boolean): QuickScanResult {
  return scanFrom(usage, { suffix, plain }, 0);
}

/** The same of words that have been read, the name first. */
export function quickScanWords({ usage }: Program, argv: readonly ShellWord[]): QuickScanResult {
  return argv.every(isPlainWord) ? scanFrom(usage, { suffix: argv, plain: true }, 1) : 'unseen';
}

function isPlainWord(word: ShellWord, index: number): boolean {
  return index === 0 || (word.type === 'literal' && word.value === word.text && isPlain(word.text));
}

function scanFrom(usage: ProgramUsage, words: ScannedWords, from: number): QuickScanResult {
  const silence = usage.silence();
  if (silence === undefined) return 'unseen';
  if (silence.alwaysHidden) return 'hidden';
  const { suffix } = words;
  let given = 0;
  let ended = false;
  for (let at = from; at < suffix.length; at += 1) {
    const item = suffix[at];
    if (item === undefined || item.type === 'Assignment') return 'unseen';
    if (item.type !== 'Word' && item.type !== 'literal') continue;
    const { text } = item;
    const start = words.plain ? text.charCodeAt(0) : firstCharacter(text, silence);
    if (start === unsure || (start === plus && usage.plusOptions)) return 'unseen';
    if (start === dash && !ended) {
      const kind = text === '--' && !silence.expectsSubcommand ? ends : optionKind(usage, silence, text);
      if (kind === 0) return 'unseen';
      if (kind === ends) ended = true;
      else if (kind === skippableValue) {
        at = nextWord(suffix, at + 1);
        if (!isValue(words, at, silence)) return 'unseen';
      }
    } else if (silence.expectsSubcommand) {
      const found = isPlain(text) ? usage.command?.(text) : undefined;
      return found === undefined ? 'unseen' : scanFrom(found.usage, words, at + 1);
    } else {
      given += 1;
      if (given > silence.operands || (silence.remote && !startsNoHelper(text))) return 'unseen';
      if (given === 1 && silence.code !== undefined && !usesNothing(text, silence.code)) return 'unseen';
      ended ||= usage.optionsFirst;
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
function firstCharacter(text: string, { strict }: QuickScanTable): number {
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
  return equal > 2 && text.charCodeAt(1) === dash && isPlainUpTo(text, equal) && isQuoted(text, equal + 1);
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

function nextWord(suffix: ScannedItems, from: number): number {
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
function isValue({ suffix, plain }: ScannedWords, at: number, { strict }: QuickScanTable): boolean {
  const item = suffix[at];
  if (item?.type !== 'Word' && item?.type !== 'literal') return false;
  return plain || isLiteral(item.text) || (!strict && !mayBecomeSeveral(item.text));
}

function usesNothing(text: string, scan: CodeScan): boolean {
  const code = literalValue(text);
  return code !== undefined && scan(code)?.length === 0;
}

/** A name of a repository for which git starts no helper of that name. */
function startsNoHelper(text: string): boolean {
  return isPlain(text) && remoteHelperOf(text) === undefined;
}

/** How the option takes its value; 0 if it may do something. */
function optionKind(usage: ProgramUsage, silence: QuickScanTable, text: string): number {
  if (text.length === 1) return 0;
  if (text.charCodeAt(1) === dash || usage.style === 'dash') {
    const equal = text.indexOf('=');
    if (equal === -1) return silence.options.get(text) ?? 0;
    const kind = silence.options.get(text.slice(0, equal)) ?? 0;
    return kind === skippableFlag || kind === 0 ? 0 : skippableFlag;
  }
  return clusterKind(usage, silence, text);
}

function clusterKind(usage: ProgramUsage, silence: QuickScanTable, text: string): number {
  if (text.length > 2 && silence.longNames && usage.options.has(text)) return silence.options.get(text) ?? 0;
  const last = text.length - 1;
  for (let at = 1; at <= last; at += 1) {
    const kind = silence.letters[text.charCodeAt(at)] ?? 0;
    if (kind === 0) return 0;
    if (kind !== skippableFlag) return at === last ? kind : skippableFlag;
  }
  return skippableFlag;
}
