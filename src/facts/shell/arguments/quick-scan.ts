/** Scans the words of a command quickly. In most cases this is enough to see that they start, set and hide nothing. */

import type { Command } from 'unbash';
import { isLiteral, isPlain, isPlainUpTo, isQuoted, literalValue } from '../words/plain-word.ts';
import type { Program } from '../usage/program.ts';
import type { CodeScan } from '../embedded-code/code-scan.ts';
import type { ShellWord } from '../words/shell-word.ts';
import { remoteHelperOf } from './git-names.ts';
import { skippableFlag, skippableValue, type QuickScanTable } from '../usage/quick-scan-table.ts';
import type { ProgramUsage } from '../usage/program-usage.ts';

/**
 * The result for the line. `undecided`: the words must be parsed. `nothing`: no effect on the line. `hidden`: only that
 * the line does not show what the program does.
 */
export type QuickScanResult = 'undecided' | 'nothing' | 'hidden';

/** The words after a command name, as parsed from the line or as passed by another command. */
type ScannedItems = readonly (Command['suffix'][number] | ShellWord)[];

interface ScannedWords {
  readonly suffix: ScannedItems;
  /** True: all words are plain. */
  readonly plain: boolean;
}

/** Returns only what parsing all arguments would also conclude. `plain`: all words are plain. */
export function quickScan({ usage }: Program, suffix: Command['suffix'], plain: boolean): QuickScanResult {
  return scanFrom(usage, { suffix, plain }, 0);
}

/** Like `quickScan`, for words that have already been read, with the name first. */
export function quickScanWords({ usage }: Program, argv: readonly ShellWord[]): QuickScanResult {
  return argv.every(isPlainWord) ? scanFrom(usage, { suffix: argv, plain: true }, 1) : 'undecided';
}

function isPlainWord(word: ShellWord, index: number): boolean {
  return index === 0 || (word.type === 'literal' && word.value === word.text && isPlain(word.text));
}

function scanFrom(usage: ProgramUsage, words: ScannedWords, from: number): QuickScanResult {
  const table = usage.quickScanTable();
  if (table === undefined) return 'undecided';
  if (table.alwaysHidden) return 'hidden';
  const { suffix } = words;
  let given = 0;
  let ended = false;
  for (let at = from; at < suffix.length; at += 1) {
    const item = suffix[at];
    if (item === undefined || item.type === 'Assignment') return 'undecided';
    if (item.type !== 'Word' && item.type !== 'literal') continue;
    const { text } = item;
    const start = words.plain ? text.charCodeAt(0) : firstCharacter(text, table);
    if (start === unsure || (start === plus && usage.plusOptions)) return 'undecided';
    if (start === dash && !ended) {
      const kind = text === '--' && !table.expectsSubcommand ? ends : optionKind(usage, table, text);
      if (kind === 0) return 'undecided';
      if (kind === ends) ended = true;
      else if (kind === skippableValue) {
        at = nextWord(suffix, at + 1);
        if (!isValue(words, at, table)) return 'undecided';
      }
    } else if (table.expectsSubcommand) {
      const found = isPlain(text) ? usage.findSubcommand?.(text) : undefined;
      return found === undefined ? 'undecided' : scanFrom(found.usage, words, at + 1);
    } else {
      given += 1;
      if (given > table.operands || (table.remote && !startsNoHelper(text))) return 'undecided';
      if (given === 1 && table.code !== undefined && !usesNothing(text, table.code)) return 'undecided';
      ended ||= usage.optionsFirst;
    }
  }
  return table.opaque ? 'hidden' : 'nothing';
}

const dash = 45;
const plus = 43;
const unsure = 0;
const operand = 97;
const ends = -1;

/** The character code of a leading dash or plus, `operand` for other known starts, or `unsure`. */
function firstCharacter(text: string, { strict }: QuickScanTable): number {
  const first = text.charCodeAt(0);
  if (isPlain(text)) return first;
  if (first === dash) return isLongOption(text) ? dash : unsure;
  if (!isLiteral(text) && (strict || mayBecomeSeveral(text))) return unsure;
  return isOperandStart(first, text.charCodeAt(1)) ? operand : unsure;
}

/** Each word that braces expand to may be an option. */
function mayBecomeSeveral(text: string): boolean {
  return text.includes('{') && (text.includes(',') || text.includes('..'));
}

/** `--format="%h %s"`. If the value is not literal, even the option name may be unknown. */
function isLongOption(text: string): boolean {
  const equal = text.indexOf('=');
  return equal > 2 && text.charCodeAt(1) === dash && isPlainUpTo(text, equal) && isQuoted(text, equal + 1);
}

/** Characters that cannot expand to a leading dash or plus. */
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

/** The value may be any text, but it must be present. */
function isValue({ suffix, plain }: ScannedWords, at: number, { strict }: QuickScanTable): boolean {
  const item = suffix[at];
  if (item?.type !== 'Word' && item?.type !== 'literal') return false;
  return plain || isLiteral(item.text) || (!strict && !mayBecomeSeveral(item.text));
}

function usesNothing(text: string, scan: CodeScan): boolean {
  const code = literalValue(text);
  return code !== undefined && scan(code)?.length === 0;
}

/** True for a repository name that does not make git start a remote helper. */
function startsNoHelper(text: string): boolean {
  return isPlain(text) && remoteHelperOf(text) === undefined;
}

/** How the option takes its value. 0 if it may have an effect. */
function optionKind(usage: ProgramUsage, table: QuickScanTable, text: string): number {
  if (text.length === 1) return 0;
  if (text.charCodeAt(1) === dash || usage.style === 'dash') {
    const equal = text.indexOf('=');
    if (equal === -1) return table.options.get(text) ?? 0;
    const kind = table.options.get(text.slice(0, equal)) ?? 0;
    return kind === skippableFlag || kind === 0 ? 0 : skippableFlag;
  }
  return clusterKind(usage, table, text);
}

function clusterKind(usage: ProgramUsage, table: QuickScanTable, text: string): number {
  if (text.length > 2 && table.longNames && usage.options.has(text)) return table.options.get(text) ?? 0;
  const last = text.length - 1;
  for (let at = 1; at <= last; at += 1) {
    const kind = table.letters[text.charCodeAt(at)] ?? 0;
    if (kind === 0) return 0;
    if (kind !== skippableFlag) return at === last ? kind : skippableFlag;
  }
  return skippableFlag;
}
