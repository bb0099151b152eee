/**
 * Reads the arguments of a command by what the table says of its program. What may be wrong is said in `unsure`; what
 * could hide another program, in `unsureCommand`.
 */

import type { ArgumentPart, Program, ParsedArguments } from '../usage/program.ts';
import { readOperand, assignRoles } from './read-operand.ts';
import { readOption } from './read-option.ts';
import {
  addByName,
  addOption,
  addUnknownOption,
  markUnsure,
  hasMark,
  overlayOf,
  startReader,
  type ArgumentReader,
} from './argument-reader.ts';
import type { ImpliedAccess, StdinUse } from '../usage/value-role.ts';
import { literal, type ShellWord } from '../words/shell-word.ts';
import type { ParsedUsage } from '../usage/parse-usage.ts';
import { prefixOf, withoutPrefix } from '../words/inspect-word.ts';

/** What the arguments mean to a program; `args` is what follows its name, or all words if they begin at 1. */
export function readArguments(program: Program, args: readonly ShellWord[], from = 0): ParsedArguments {
  const reading = startReader(program.usage, args, from);
  if (program.usage.style === 'bundle') unbundle(reading);
  while (reading.at < reading.words.length) readWord(reading);
  assignRoles(reading);
  if (reading.usage.stdin === 'foreign') readScriptFromStdin(reading);
  if (reading.usage.implies.size > 0) addPrefixOptions(reading);
  return finishReading(reading, program.names[0] ?? '');
}

function readWord(reading: ArgumentReader): void {
  const word = reading.words[reading.at];
  reading.at += 1;
  if (word === undefined) return;
  if (reading.usage.style === 'pairs') readPair(reading, word);
  else if (reading.optionsEnded || !startsOption(reading, word)) readOperand(reading, word);
  else if (word.type === 'literal' && word.value === '--') endOptions(reading);
  else readOption(reading, word);
}

function endOptions(reading: ArgumentReader): void {
  reading.optionsEnded = true;
  reading.operandsBeforeDashes = reading.operands.length;
}

const dash = 45;
const plus = 43;

function startsOption(reading: ArgumentReader, word: ShellWord): boolean {
  const text = prefixOf(word);
  const first = text.charCodeAt(0);
  if (first !== dash && (first !== plus || !reading.usage.plusOptions)) return false;
  return text.length > 1 || isListedDash(reading, word);
}

/** `-` alone is an operand, unless it is listed: `su -`. */
function isListedDash(reading: ArgumentReader, word: ShellWord): boolean {
  return word.type === 'open' || reading.usage.options.has('-');
}

/** `of=x`. */
function readPair(reading: ArgumentReader, word: ShellWord): void {
  const text = prefixOf(word);
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  const option = reading.usage.options.get(name);
  if (option !== undefined) addOption(reading, option, { value: withoutPrefix(word, at + 1), exact: true });
  else if (word.type === 'open' && at < 0) readOperand(reading, word);
  else addUnknownOption(reading, name, word);
}

/** `xf a.tar` as `-x -f a.tar`: values follow in the order of the letters. */
function unbundle(reading: ArgumentReader): void {
  const [first, ...rest] = reading.words.slice(reading.at);
  if (first === undefined || first.type === 'open' || first.value.startsWith('-')) return;
  const words = rest.values();
  const spelled = Array.from(first.value, (letter) => {
    const takes = reading.usage.options.get(`-${letter}`)?.takes === 'value';
    const value = takes ? words.next().value : undefined;
    return [literal(`-${letter}`), ...(value === undefined ? [] : [value])];
  });
  reading.words = [...spelled.flat(), ...words];
  reading.at = 0;
}

/** `python -` reads what it runs from standard input, as if no script were named. */
function readScriptFromStdin({ parts }: ArgumentReader): void {
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'operand' || part.role !== 'script' || part.word.type === 'open') continue;
    if (/^(?:-|\/dev\/(?:stdin|fd\/0))$/u.test(part.word.value)) parts[index] = { ...part, role: 'text' };
  }
}

/** Options that the first letter of an operand stands for: `+main` of git push. */
function addPrefixOptions(reading: ArgumentReader): void {
  for (const index of reading.operands) {
    const part = reading.parts[index];
    const first = part?.type === 'operand' ? prefixOf(part.word).slice(0, 1) : '';
    for (const name of reading.usage.implies.get(first) ?? []) addByName(reading, name);
  }
}

/** `%n` of printf sets the variable that an operand names. */
function checkFormat(reading: ArgumentReader): void {
  const [format, ...others] = reading.operands.map((index) => reading.parts[index]);
  if (format?.type !== 'operand' || others.length === 0) return;
  const plain =
    format.word.type === 'literal' && !/%[-+ #'\d*.]*[hjlLtz]*n/u.test(format.word.value.replaceAll('%%', ''));
  if (!plain) reading.shifts ??= 'a format may set variables';
}

/** What the program and its options touch that no argument names. */
function impliedAccesses(reading: ArgumentReader, overlay: ParsedUsage | undefined): readonly ImpliedAccess[] {
  const { usage, givenOptions: seen } = reading;
  if (overlay === undefined) return withAnything(seen, usage.implied);
  if (overlay.words.has('untouched') || isAlone(reading.parts, overlay)) return overlay.implied;
  return withAnything(seen, [...usage.implied, ...overlay.implied]);
}

function withAnything(
  seen: ArgumentReader['givenOptions'],
  implied: readonly ImpliedAccess[],
): readonly ImpliedAccess[] {
  return seen.some((option) => option.implied.includes('anything')) ? [...implied, 'anything'] : implied;
}

/** What an opaque program touches besides is no less shown than the rest of what it does. */
function finishImplied(
  { implied }: ArgumentReader,
  touched: readonly ImpliedAccess[],
  { opaque, untouched }: { readonly opaque: boolean; readonly untouched: boolean },
): readonly ImpliedAccess[] {
  const own = untouched ? implied.filter((kind) => kind !== 'anything' && kind !== 'elsewhere') : implied;
  if (touched.length === 0) return own;
  return Array.from(new Set([...own, ...touched.filter((kind) => kind !== 'elsewhere' || !opaque)]));
}

const running: ReadonlySet<string> = new Set(['code', 'foreign', 'script']);

function isRun(part: ArgumentPart): boolean {
  return part.type === 'command' || part.type === 'code' || (part.type === 'operand' && running.has(part.role));
}

function finishReading(reading: ArgumentReader, name: string): ParsedArguments {
  const { usage, parts } = reading;
  const overlay = overlayOf(reading);
  const says = wordCheck(usage, overlay);
  if (says('dialect')) checkDialect(reading, name);
  if (usage.operands[0]?.syntax === 'format') checkFormat(reading);
  const touched = impliedAccesses(reading, overlay);
  // Files whose names the line does not tell are as hidden as what a script does.
  const opaque =
    reading.opaque ||
    (says('opaque') && overlay?.words.has('shown') !== true && !isAlone(parts, overlay)) ||
    (usage.starts && parts.some(isUnseenCode)) ||
    (touched.length > 0 && touched.includes('anything'));
  return {
    parts,
    unsure: reading.unsure ?? reading.unsureGlob ?? reading.unsureCommand ?? reading.unsureOption,
    unsureFiles: namesNoFile(usage, parts) ? undefined : (reading.unsure ?? reading.unsureCommand),
    unsureCommand: reading.unsureCommand,
    stdin: stdinOf(reading, overlay?.stdin),
    opaque,
    implied: finishImplied(reading, touched, { opaque, untouched: overlay?.words.has('untouched') === true }),
    filters: finishFilters(reading),
    // With one condition more than none, what a folder holds is not touched as a whole.
    conditional: reading.filters.length > 0 && (reading.filters.length > 1 || parts.some(isCondition)),
    excludeOption: usage.excludeOption,
    repository: usage.words.has('repository'),
    safe: usage.words.has('safe'),
    readsOnly: usage.readsOnly && (usage.words.has('safe') || parts.every((part) => isListed(usage, part))),
    opensPager: says('pager') && !parts.some((part) => part.type === 'option' && part.name === '--no-pager'),
    changesFolder: reading.moves || says('moves'),
    changesMeaning: reading.shifts ?? (says('shifts') && parts.length > 0 ? `${name} changes what follows` : undefined),
  };
}

/** `gcc --version`: the option alone, so that no other argument makes the program do more. */
function isAlone(parts: readonly ArgumentPart[], overlay: ParsedUsage | undefined): boolean {
  return parts.length === 1 && overlay?.words.has('alone') === true;
}

/** None, if they leave nothing out, or if it is not told how they are joined. */
function finishFilters({ filters, parts }: ArgumentReader): ArgumentReader['filters'] {
  if (filters.length === 0) return filters;
  const isIdle = filters.every(({ type }) => type === 'include') && filters.some(({ pattern }) => pattern === '*');
  return isIdle || parts.some(isFindOperator) ? [] : filters;
}

/** Options of find that say how it walks, and what it does with all that it meets. */
const unconditional = new Set(
  '-H -L -P -O -D -E -x -d -depth -xdev -mount -noleaf -warn -nowarn -print -print0 -ls -delete'.split(' '),
);

function isCondition(part: ArgumentPart): boolean {
  return isFindOperator(part) || (part.type === 'option' && !unconditional.has(part.name));
}

/** Signs by which find joins its conditions in another way. */
function isFindOperator(part: ArgumentPart): boolean {
  return part.type === 'operand' && part.word.type === 'literal' && /^[!(),]$/u.test(part.word.value);
}

const sayNothing = (): boolean => false;

/** Whether it is said of the program, or of what the options make of it. */
function wordCheck(usage: ParsedUsage, overlay: ParsedUsage | undefined): (word: string) => boolean {
  if (usage.words.size === 0 && overlay === undefined) return sayNothing;
  return (word) => usage.words.has(word) || overlay?.words.has(word) === true;
}

/** What an option nobody knows does may be anything. */
function isListed({ options }: ArgumentReader['usage'], part: ArgumentPart): boolean {
  return part.type !== 'option' || options.has(part.name);
}

/** An option that is not listed may take a file. */
function namesNoFile(usage: ArgumentReader['usage'], parts: readonly ArgumentPart[]): boolean {
  return usage.namesNoFile && (usage.words.has('safe') || parts.every((part) => isListed(usage, part)));
}

function isUnseenCode(part: ArgumentPart): boolean {
  return 'role' in part && (part.role === 'foreign' || part.role === 'script');
}

function stdinOf(reading: ArgumentReader, overlay: StdinUse | undefined): StdinUse {
  const { stdin, usage } = reading;
  const usual = stdin ?? (overlay === undefined || overlay === 'data' ? usage.stdin : overlay);
  if (usual === 'words' || usual === 'data') return usual;
  return reading.scanned || reading.parts.some(isRun) || hasMark(reading, 'first') ? 'data' : usual;
}

/** Shells other than those of POSIX read plain words alike, and little else. */
function checkDialect(reading: ArgumentReader, name: string): void {
  for (const part of reading.parts) {
    const words =
      part.type === 'code' ? part.words : part.type === 'option' && part.role === 'code' ? [part.value] : [];
    const plain = words.every((word) => word?.type === 'literal' && /^[\w\s./:,%+;&|@"'-]*$/u.test(word.value));
    if (!plain) markUnsure(reading, `${name} may read its code in another way than bash`);
  }
}
