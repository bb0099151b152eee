/**
 * Reads the arguments of a command by what the table says of its program. What may be wrong is said in `unsure`; what
 * could hide another program, in `unsureCommand`.
 */

import type { ArgumentPart, Program, ReadArguments } from './program.ts';
import { readOperand, settleOperands } from './read-operand.ts';
import { readOption } from './read-option.ts';
import { addByName, addOption, addUnlisted, doubt, hasMark, overlayOf, startReading, type Reading } from './reading.ts';
import type { Implied, Stdin } from './role.ts';
import { literal, type ShellWord } from './shell-word.ts';
import type { UsageText } from './usage-text.ts';
import { prefixOf, withoutPrefix } from './word-shape.ts';

/** What the arguments mean to a program; `args` is what follows its name, or all words if they begin at 1. */
export function readArguments(program: Program, args: readonly ShellWord[], from = 0): ReadArguments {
  const reading = startReading(program.usage, args, from);
  if (program.usage.style === 'bundle') unbundle(reading);
  while (reading.at < reading.words.length) readWord(reading);
  settleOperands(reading);
  if (reading.usage.stdin === 'foreign') settleInput(reading);
  if (reading.usage.implies.size > 0) addPrefixes(reading);
  return finish(reading, program.names[0] ?? '');
}

function readWord(reading: Reading): void {
  const word = reading.words[reading.at];
  reading.at += 1;
  if (word === undefined) return;
  if (reading.usage.style === 'pairs') readPair(reading, word);
  else if (reading.ended || !startsOption(reading, word)) readOperand(reading, word);
  else if (word.type === 'literal' && word.value === '--') endOptions(reading);
  else readOption(reading, word);
}

function endOptions(reading: Reading): void {
  reading.ended = true;
  reading.before = reading.operands.length;
}

const dash = 45;
const plus = 43;

function startsOption(reading: Reading, word: ShellWord): boolean {
  const text = prefixOf(word);
  const first = text.charCodeAt(0);
  if (first !== dash && (first !== plus || !reading.usage.plus)) return false;
  return text.length > 1 || isListedDash(reading, word);
}

/** `-` alone is an operand, unless it is listed: `su -`. */
function isListedDash(reading: Reading, word: ShellWord): boolean {
  return word.type === 'open' || reading.usage.options.has('-');
}

/** `of=x`. */
function readPair(reading: Reading, word: ShellWord): void {
  const text = prefixOf(word);
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  const option = reading.usage.options.get(name);
  if (option !== undefined) addOption(reading, option, { value: withoutPrefix(word, at + 1), exact: true });
  else if (word.type === 'open' && at < 0) readOperand(reading, word);
  else addUnlisted(reading, name, word);
}

/** `xf a.tar` as `-x -f a.tar`: values follow in the order of the letters. */
function unbundle(reading: Reading): void {
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
function settleInput({ parts }: Reading): void {
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'operand' || part.role !== 'script' || part.word.type === 'open') continue;
    if (/^(?:-|\/dev\/(?:stdin|fd\/0))$/u.test(part.word.value)) parts[index] = { ...part, role: 'text' };
  }
}

/** Options that the first letter of an operand stands for: `+main` of git push. */
function addPrefixes(reading: Reading): void {
  for (const index of reading.operands) {
    const part = reading.parts[index];
    const first = part?.type === 'operand' ? prefixOf(part.word).slice(0, 1) : '';
    for (const name of reading.usage.implies.get(first) ?? []) addByName(reading, name);
  }
}

/** `%n` of printf sets the variable that an operand names. */
function settleFormat(reading: Reading): void {
  const [format, ...others] = reading.operands.map((index) => reading.parts[index]);
  if (format?.type !== 'operand' || others.length === 0) return;
  const plain =
    format.word.type === 'literal' && !/%[-+ #'\d*.]*[hjlLtz]*n/u.test(format.word.value.replaceAll('%%', ''));
  if (!plain) reading.shifts ??= 'a format may set variables';
}

/** What the program and its options touch that no argument names. */
function impliedBy(reading: Reading, overlay: UsageText | undefined): readonly Implied[] {
  const { usage, seen } = reading;
  if (overlay === undefined) return withAnything(seen, usage.implied);
  if (overlay.words.has('untouched') || isAlone(reading.parts, overlay)) return overlay.implied;
  return withAnything(seen, [...usage.implied, ...overlay.implied]);
}

function withAnything(seen: Reading['seen'], implied: readonly Implied[]): readonly Implied[] {
  return seen.some((option) => option.implied.includes('anything')) ? [...implied, 'anything'] : implied;
}

/** What an opaque program touches besides is no less shown than the rest of what it does. */
function settledImplied(
  { implied }: Reading,
  touched: readonly Implied[],
  { opaque, untouched }: { readonly opaque: boolean; readonly untouched: boolean },
): readonly Implied[] {
  const own = untouched ? implied.filter((kind) => kind !== 'anything' && kind !== 'elsewhere') : implied;
  if (touched.length === 0) return own;
  return Array.from(new Set([...own, ...touched.filter((kind) => kind !== 'elsewhere' || !opaque)]));
}

const running: ReadonlySet<string> = new Set(['code', 'foreign', 'script']);

function isRun(part: ArgumentPart): boolean {
  return part.type === 'command' || part.type === 'code' || (part.type === 'operand' && running.has(part.role));
}

function finish(reading: Reading, name: string): ReadArguments {
  const { usage, parts } = reading;
  const overlay = overlayOf(reading);
  const says = saying(usage, overlay);
  if (says('dialect')) doubtDialect(reading, name);
  if (usage.operands[0]?.holds === 'format') settleFormat(reading);
  const touched = impliedBy(reading, overlay);
  // Files whose names the line does not tell are as hidden as what a script does.
  const opaque =
    reading.opaque ||
    (says('opaque') && overlay?.words.has('shown') !== true && !isAlone(parts, overlay)) ||
    (usage.starts && parts.some(isUnseen)) ||
    (touched.length > 0 && touched.includes('anything'));
  return {
    parts,
    unsure: reading.unsure ?? reading.unsureGlob ?? reading.unsureCommand ?? reading.unsureOption,
    unsureFiles: namesNoFile(usage, parts) ? undefined : (reading.unsure ?? reading.unsureCommand),
    unsureCommand: reading.unsureCommand,
    stdin: stdinOf(reading, overlay?.stdin),
    opaque,
    implied: settledImplied(reading, touched, { opaque, untouched: overlay?.words.has('untouched') === true }),
    filters: settledFilters(reading),
    // With one condition more than none, what a folder holds is not touched as a whole.
    conditional: reading.filters.length > 0 && (reading.filters.length > 1 || parts.some(isCondition)),
    excluding: usage.excluding,
    repository: usage.words.has('repository'),
    safe: usage.words.has('safe'),
    readsOnly: usage.readsOnly && (usage.words.has('safe') || parts.every((part) => isListed(usage, part))),
    pages: says('pager') && !parts.some((part) => part.type === 'option' && part.name === '--no-pager'),
    moves: reading.moves || says('moves'),
    shifts: reading.shifts ?? (says('shifts') && parts.length > 0 ? `${name} changes what follows` : undefined),
  };
}

/** `gcc --version`: the option alone, so that no other argument makes the program do more. */
function isAlone(parts: readonly ArgumentPart[], overlay: UsageText | undefined): boolean {
  return parts.length === 1 && overlay?.words.has('alone') === true;
}

/** None, if they leave nothing out, or if it is not told how they are joined. */
function settledFilters({ filters, parts }: Reading): Reading['filters'] {
  if (filters.length === 0) return filters;
  const isIdle = filters.every(({ type }) => type === 'include') && filters.some(({ pattern }) => pattern === '*');
  return isIdle || parts.some(isSign) ? [] : filters;
}

/** Options of find that say how it walks, and what it does with all that it meets. */
const unconditional = new Set(
  '-H -L -P -O -D -E -x -d -depth -xdev -mount -noleaf -warn -nowarn -print -print0 -ls -delete'.split(' '),
);

function isCondition(part: ArgumentPart): boolean {
  return isSign(part) || (part.type === 'option' && !unconditional.has(part.name));
}

/** Signs by which find joins its conditions in another way. */
function isSign(part: ArgumentPart): boolean {
  return part.type === 'operand' && part.word.type === 'literal' && /^[!(),]$/u.test(part.word.value);
}

const silent = (): boolean => false;

/** Whether it is said of the program, or of what the options make of it. */
function saying(usage: UsageText, overlay: UsageText | undefined): (word: string) => boolean {
  if (usage.words.size === 0 && overlay === undefined) return silent;
  return (word) => usage.words.has(word) || overlay?.words.has(word) === true;
}

/** What an option nobody knows does may be anything. */
function isListed({ options }: Reading['usage'], part: ArgumentPart): boolean {
  return part.type !== 'option' || options.has(part.name);
}

/** An option that is not listed may take a file. */
function namesNoFile(usage: Reading['usage'], parts: readonly ArgumentPart[]): boolean {
  return usage.namesNoFile && (usage.words.has('safe') || parts.every((part) => isListed(usage, part)));
}

function isUnseen(part: ArgumentPart): boolean {
  return 'role' in part && (part.role === 'foreign' || part.role === 'script');
}

function stdinOf(reading: Reading, overlay: Stdin | undefined): Stdin {
  const { stdin, usage } = reading;
  const usual = stdin ?? (overlay === undefined || overlay === 'data' ? usage.stdin : overlay);
  if (usual === 'words' || usual === 'data') return usual;
  return reading.scanned || reading.parts.some(isRun) || hasMark(reading, 'first') ? 'data' : usual;
}

/** Shells other than those of POSIX read plain words alike, and little else. */
function doubtDialect(reading: Reading, name: string): void {
  for (const part of reading.parts) {
    const words =
      part.type === 'code' ? part.words : part.type === 'option' && part.role === 'code' ? [part.value] : [];
    const plain = words.every((word) => word?.type === 'literal' && /^[\w\s./:,%+;&|@"'-]*$/u.test(word.value));
    if (!plain) doubt(reading, `${name} may read its code in another way than bash`);
  }
}
