/**
 * Parses the arguments of a command using the program table. `unsure` says what may be wrong; `unsureCommand` says what
 * may start another program.
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

/** The meaning of the arguments. `args` contains the words after the name, or all words if `from` is 1. */
export function readArguments(program: Program, args: readonly ShellWord[], from = 0): ParsedArguments {
  const reader = startReader(program.usage, args, from);
  if (program.usage.style === 'bundle') unbundle(reader);
  while (reader.at < reader.words.length) readWord(reader);
  assignRoles(reader);
  if (reader.usage.stdin === 'foreign') readScriptFromStdin(reader);
  if (reader.usage.implies.size > 0) addPrefixOptions(reader);
  return finishReading(reader, program.names[0] ?? '');
}

function readWord(reader: ArgumentReader): void {
  const word = reader.words[reader.at];
  reader.at += 1;
  if (word === undefined) return;
  if (reader.usage.style === 'pairs') readPair(reader, word);
  else if (reader.optionsEnded || !startsOption(reader, word)) readOperand(reader, word);
  else if (word.type === 'literal' && word.value === '--') endOptions(reader);
  else readOption(reader, word);
}

function endOptions(reader: ArgumentReader): void {
  reader.optionsEnded = true;
  reader.operandsBeforeDashes = reader.operands.length;
}

const dash = 45;
const plus = 43;

function startsOption(reader: ArgumentReader, word: ShellWord): boolean {
  const text = prefixOf(word);
  const first = text.charCodeAt(0);
  if (first !== dash && (first !== plus || !reader.usage.plusOptions)) return false;
  return text.length > 1 || isListedDash(reader, word);
}

/** `-` alone is an operand, unless it is listed: `su -`. */
function isListedDash(reader: ArgumentReader, word: ShellWord): boolean {
  return word.type === 'open' || reader.usage.options.has('-');
}

/** `of=x`. */
function readPair(reader: ArgumentReader, word: ShellWord): void {
  const text = prefixOf(word);
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  const option = reader.usage.options.get(name);
  if (option !== undefined) addOption(reader, option, { value: withoutPrefix(word, at + 1), exact: true });
  else if (word.type === 'open' && at < 0) readOperand(reader, word);
  else addUnknownOption(reader, name, word);
}

/** Reads `xf a.tar` as `-x -f a.tar`. Values follow in the order of the letters. */
function unbundle(reader: ArgumentReader): void {
  const [first, ...rest] = reader.words.slice(reader.at);
  if (first === undefined || first.type === 'open' || first.value.startsWith('-')) return;
  const words = rest.values();
  const spelled = Array.from(first.value, (letter) => {
    const takes = reader.usage.options.get(`-${letter}`)?.takes === 'value';
    const value = takes ? words.next().value : undefined;
    return [literal(`-${letter}`), ...(value === undefined ? [] : [value])];
  });
  reader.words = [...spelled.flat(), ...words];
  reader.at = 0;
}

/** `python -` runs code from standard input, as if no script were named. */
function readScriptFromStdin({ parts }: ArgumentReader): void {
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'operand' || part.role !== 'script' || part.word.type === 'open') continue;
    if (/^(?:-|\/dev\/(?:stdin|fd\/0))$/u.test(part.word.value)) parts[index] = { ...part, role: 'text' };
  }
}

/** Options implied by the first letter of an operand: `+main` in git push. */
function addPrefixOptions(reader: ArgumentReader): void {
  for (const index of reader.operands) {
    const part = reader.parts[index];
    const first = part?.type === 'operand' ? prefixOf(part.word).slice(0, 1) : '';
    for (const name of reader.usage.implies.get(first) ?? []) addByName(reader, name);
  }
}

/** `%n` in printf sets the variable that an operand names. */
function checkFormat(reader: ArgumentReader): void {
  const [format, ...others] = reader.operands.map((index) => reader.parts[index]);
  if (format?.type !== 'operand' || others.length === 0) return;
  const plain =
    format.word.type === 'literal' && !/%[-+ #'\d*.]*[hjlLtz]*n/u.test(format.word.value.replaceAll('%%', ''));
  if (!plain) reader.changesMeaning ??= 'a printf format may set variables';
}

/** What the program and its options touch without an argument that names it. */
function impliedAccesses(reader: ArgumentReader, overlay: ParsedUsage | undefined): readonly ImpliedAccess[] {
  const { usage, givenOptions } = reader;
  if (overlay === undefined) return withAnything(givenOptions, usage.implied);
  if (overlay.words.has('untouched') || isAlone(reader.parts, overlay)) return overlay.implied;
  return withAnything(givenOptions, [...usage.implied, ...overlay.implied]);
}

function withAnything(
  seen: ArgumentReader['givenOptions'],
  implied: readonly ImpliedAccess[],
): readonly ImpliedAccess[] {
  return seen.some((option) => option.implied.includes('anything')) ? [...implied, 'anything'] : implied;
}

/** For an opaque program, unnamed accesses elsewhere add nothing. */
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

function finishReading(reader: ArgumentReader, name: string): ParsedArguments {
  const { usage, parts } = reader;
  const overlay = overlayOf(reader);
  const says = wordCheck(usage, overlay);
  if (says('dialect')) checkDialect(reader, name);
  if (usage.operands[0]?.syntax === 'format') checkFormat(reader);
  const touched = impliedAccesses(reader, overlay);
  // Files with unknown names are as hidden as the work of a script.
  const opaque =
    reader.opaque ||
    (says('opaque') && overlay?.words.has('shown') !== true && !isAlone(parts, overlay)) ||
    (usage.starts && parts.some(isUnseenCode)) ||
    (touched.length > 0 && touched.includes('anything'));
  return {
    parts,
    unsure: reader.unsure ?? reader.unsureGlob ?? reader.unsureCommand ?? reader.unsureOption,
    unsureFiles: namesNoFile(usage, parts) ? undefined : (reader.unsure ?? reader.unsureCommand),
    unsureCommand: reader.unsureCommand,
    stdin: stdinOf(reader, overlay?.stdin),
    opaque,
    implied: finishImplied(reader, touched, { opaque, untouched: overlay?.words.has('untouched') === true }),
    filters: finishFilters(reader),
    // With any further condition, the folder is not touched as a whole.
    conditional: reader.filters.length > 0 && (reader.filters.length > 1 || parts.some(isCondition)),
    excludeOption: usage.excludeOption,
    repository: usage.words.has('repository'),
    safe: usage.words.has('safe'),
    readsOnly: usage.readsOnly && (usage.words.has('safe') || parts.every((part) => isListed(usage, part))),
    opensPager: says('pager') && !parts.some((part) => part.type === 'option' && part.name === '--no-pager'),
    changesFolder: reader.changesFolder || says('moves'),
    changesMeaning:
      reader.changesMeaning ??
      (says('shifts') && parts.length > 0 ? `${name} changes the meaning of what follows` : undefined),
  };
}

/** `gcc --version`: the only argument, so nothing else makes the program do more. */
function isAlone(parts: readonly ArgumentPart[], overlay: ParsedUsage | undefined): boolean {
  return parts.length === 1 && overlay?.words.has('alone') === true;
}

/** Empty if the filters exclude nothing, or if it is unknown how they are joined. */
function finishFilters({ filters, parts }: ArgumentReader): ArgumentReader['filters'] {
  if (filters.length === 0) return filters;
  const isIdle = filters.every(({ type }) => type === 'include') && filters.some(({ pattern }) => pattern === '*');
  return isIdle || parts.some(isFindOperator) ? [] : filters;
}

/** Options of find that say how it walks, or what it does with every file. */
const unconditional = new Set(
  '-H -L -P -O -D -E -x -d -depth -xdev -mount -noleaf -warn -nowarn -print -print0 -ls -delete'.split(' '),
);

function isCondition(part: ArgumentPart): boolean {
  return isFindOperator(part) || (part.type === 'option' && !unconditional.has(part.name));
}

/** Operators by which find joins its conditions in another way. */
function isFindOperator(part: ArgumentPart): boolean {
  return part.type === 'operand' && part.word.type === 'literal' && /^[!(),]$/u.test(part.word.value);
}

const sayNothing = (): boolean => false;

/** Checks whether a word is set in the usage of the program or in its overlay. */
function wordCheck(usage: ParsedUsage, overlay: ParsedUsage | undefined): (word: string) => boolean {
  if (usage.words.size === 0 && overlay === undefined) return sayNothing;
  return (word) => usage.words.has(word) || overlay?.words.has(word) === true;
}

/** An unknown option may do anything. */
function isListed({ options }: ArgumentReader['usage'], part: ArgumentPart): boolean {
  return part.type !== 'option' || options.has(part.name);
}

/** An unlisted option may take a file. */
function namesNoFile(usage: ArgumentReader['usage'], parts: readonly ArgumentPart[]): boolean {
  return usage.namesNoFile && (usage.words.has('safe') || parts.every((part) => isListed(usage, part)));
}

function isUnseenCode(part: ArgumentPart): boolean {
  return 'role' in part && (part.role === 'foreign' || part.role === 'script');
}

function stdinOf(reader: ArgumentReader, overlay: StdinUse | undefined): StdinUse {
  const { stdin, usage } = reader;
  const usual = stdin ?? (overlay === undefined || overlay === 'data' ? usage.stdin : overlay);
  if (usual === 'words' || usual === 'data') return usual;
  return reader.scanned || reader.parts.some(isRun) || hasMark(reader, 'first') ? 'data' : usual;
}

/** Shells that are not POSIX shells agree only on plain words. */
function checkDialect(reader: ArgumentReader, name: string): void {
  for (const part of reader.parts) {
    const words =
      part.type === 'code' ? part.words : part.type === 'option' && part.role === 'code' ? [part.value] : [];
    const plain = words.every((word) => word?.type === 'literal' && /^[\w\s./:,%+;&|@"'-]*$/u.test(word.value));
    if (!plain) markUnsure(reader, `${name} may read its code differently from bash`);
  }
}
