/** The state of reading the arguments of one command. */

import { readEmbedded } from './text-syntax.ts';
import { filterKinds, filtersOf } from '../usage/name-filters.ts';
import type { ArgumentPart, OptionPart } from '../usage/program.ts';
import type { ImpliedAccess, NameFilter, ValueRole, StdinUse } from '../usage/value-role.ts';
import { displayWord, type ShellWord } from '../words/shell-word.ts';
import {
  valueKind,
  type OperandUsage,
  type OptionUsage,
  type ParsedUsage,
  type ValueKind,
} from '../usage/parse-usage.ts';
import type { ProgramUsage } from '../usage/program-usage.ts';
import { literalPattern, prefixOf, replaceWithUnknown, maySplit, withoutPrefix } from '../words/inspect-word.ts';

export interface ArgumentReader {
  usage: ProgramUsage;
  words: readonly ShellWord[];
  /** Where the next word stands. */
  at: number;
  /** True: no options any more. */
  optionsEnded: boolean;
  /** How many operands stand before `--`, if there is one. */
  operandsBeforeDashes: number;
  /** True: a subcommand is awaited. */
  expectsSubcommand: boolean;
  readonly parts: ArgumentPart[];
  /** Where in `parts` operands stand whose roles are told at the end. */
  operands: number[];
  /** The options given since the last subcommand. */
  givenOptions: OptionUsage[];
  implied: readonly ImpliedAccess[];
  /** What is replaced in the words of what is started. */
  placeholders: readonly RegExp[];
  /** Which files below the folders among the operands are searched. */
  filters: readonly NameFilter[];
  stdin: StdinUse | undefined;
  opaque: boolean;
  /** True: there was code of another language, and a scan told what it uses. */
  scanned: boolean;
  moves: boolean;
  shifts: string | undefined;
  unsure: string | undefined;
  /** Why a pattern of file names may be no operand: only the disk tells. */
  unsureGlob: string | undefined;
  unsureCommand: string | undefined;
  /** Which option nobody knows; what follows it counts as a file, whether it is its value or an operand. */
  unsureOption: string | undefined;
}

/** Notes that the parts may not be all, or not right. */
export function markUnsure(reading: ArgumentReader, why: string): void {
  reading.unsure ??= why;
  if (reading.usage.starts || reading.expectsSubcommand) reading.unsureCommand ??= why;
}

/** What is different by the options given. */
export function overlayOf(reading: ArgumentReader): ParsedUsage | undefined {
  const { usage, givenOptions: seen } = reading;
  if (usage.with.size === 0 || seen.length === 0) return undefined;
  for (const [name, overlay] of usage.with) if (isGiven(reading, name)) return overlay;
  return undefined;
}

function isGiven({ givenOptions: seen }: ArgumentReader, name: string): boolean {
  for (const option of seen) if (option.name === name) return true;
  return false;
}

/** Whether an option with this mark was given. */
export function hasMark({ givenOptions: seen }: ArgumentReader, mark: string): boolean {
  for (const { marks } of seen) if (marks.size > 0 && marks.has(mark)) return true;
  return false;
}

/** What the operands are, by the options given. */
export function operandUsages(reading: ArgumentReader): readonly OperandUsage[] {
  const overlay = overlayOf(reading);
  const usages = overlay !== undefined && overlay.operands.length > 0 ? overlay.operands : reading.usage.operands;
  if (reading.givenOptions.length === 0 || usages[0]?.repeated === true) return usages;
  return hasMark(reading, 'first') ? usages.slice(1) : usages;
}

/** The next word as the value of an option; it may be missing. */
export function takeValue(reading: ArgumentReader): ShellWord | undefined {
  const word = reading.words[reading.at];
  reading.at += 1;
  if (word === undefined) markUnsure(reading, 'an option lacks its value');
  else if (maySplit(word)) markUnsure(reading, `${displayWord(word)} may be several words`);
  return word;
}

export interface OptionValue {
  readonly value: ShellWord | undefined;
  /** True: spelled in full. */
  readonly exact: boolean;
}

const none: readonly never[] = [];

/** A reading at its start; `at`: where the arguments begin. */
export function startReader(usage: ProgramUsage, words: readonly ShellWord[], at: number): ArgumentReader {
  return {
    usage,
    words,
    at,
    optionsEnded: false,
    operandsBeforeDashes: 0,
    expectsSubcommand: usage.command !== undefined,
    parts: [],
    operands: [],
    givenOptions: [],
    implied: none,
    placeholders: none,
    filters: none,
    stdin: undefined,
    opaque: false,
    scanned: false,
    moves: false,
    shifts: undefined,
    unsure: undefined,
    unsureGlob: undefined,
    unsureCommand: undefined,
    unsureOption: undefined,
  };
}

/** Adds an option with all that it does. */
export function addOption(reading: ArgumentReader, option: OptionUsage, { value, exact }: OptionValue): void {
  reading.givenOptions.push(option);
  const { name, harmless, value: usual, marks, implied } = option;
  if (marks.size === 0 || !marks.has('split')) {
    const { role, reach } = usual;
    const part: OptionPart = { type: 'option', name, value, role, reach, harmless: harmless && exact };
    if (value !== undefined)
      reading.parts.push(withKeyRole(reading, usual.syntax === undefined ? part : withEmbedded(part, usual)));
    else reading.parts.push(exact && option.operands?.role === 'writes' ? { ...part, writesOperands: true } : part);
  }
  if (implied.length > 0) reading.implied = [...reading.implied, ...implied];
  if (option.stdin !== undefined) reading.stdin = option.stdin;
  if (marks.size > 0) applyMarks(reading, option, value);
  if (reading.usage.implies.size > 0) addImplied(reading, name, value);
}

function withEmbedded(part: OptionPart, usual: ValueKind): OptionPart {
  const held = part.value === undefined ? undefined : readEmbedded(usual, part.value);
  return held === undefined
    ? part
    : { ...part, value: held.word, role: held.role, reach: held.reach, harmless: held.harmless && part.harmless };
}

function applyMarks(
  reading: ArgumentReader,
  { name, marks, value: usual }: OptionUsage,
  value: ShellWord | undefined,
): void {
  reading.opaque ||= marks.has('opaque');
  reading.moves ||= marks.has('moves');
  reading.optionsEnded ||= marks.has('last');
  // `find -delete -name x` deletes before it looks at names.
  if (marks.has('decides') && reading.filters.length === 0) reading.filters = filtersOf('unfiltered', undefined);
  const filter = filterKinds.find((mark) => marks.has(mark));
  if (filter !== undefined)
    reading.filters = [...reading.filters, ...filtersOf(filter, usual.role === 'text' ? value : undefined)];
  if (marks.has('shifts')) reading.shifts ??= `${name} changes what follows`;
  if (marks.has('replace')) addPlaceholder(reading, value);
  if (marks.has('links')) reading.unsure ??= `${name} follows every link below a folder`;
  if (marks.has('unsure')) reading.unsureCommand ??= `${name} may start something`;
}

function addPlaceholder(reading: ArgumentReader, value: ShellWord | undefined): void {
  if (value === undefined) reading.placeholders = [...reading.placeholders, /\{\}/u];
  else if (value.type === 'open' || value.value === '') markUnsure(reading, 'what is replaced is not known');
  else reading.placeholders = [...reading.placeholders, literalPattern(value.value)];
}

/** Adds the options that an option, or an option with its value, also stands for. */
function addImplied(reading: ArgumentReader, name: string, value: ShellWord | undefined): void {
  const withValue = value?.type === 'literal' ? reading.usage.implies.get(`${name} ${value.value}`) : undefined;
  for (const other of [...(reading.usage.implies.get(name) ?? []), ...(withValue ?? [])]) addByName(reading, other);
}

/** Adds an option that was not written, by its name. */
export function addByName(reading: ArgumentReader, name: string): void {
  const option = reading.usage.options.get(name);
  if (isGiven(reading, option?.name ?? name)) return;
  if (option !== undefined) addOption(reading, option, { value: undefined, exact: false });
  else reading.parts.push({ type: 'option', name, value: undefined, role: 'text', harmless: false });
}

/** What the value of `-c key=value` is depends on the key. */
function withKeyRole(reading: ArgumentReader, part: OptionPart): OptionPart {
  const keys = reading.usage.keys.size === 0 ? undefined : reading.usage.keys.get(part.name);
  if (keys === undefined || part.value === undefined) return part;
  // Some programs take `-o=key=value`, too.
  const [before = '', key = '', between = ''] = /^=?([^=\s]*)([=\s]*)/u.exec(prefixOf(part.value)) ?? [];
  const role = keyRole(keys, key.toLowerCase());
  const rest = withoutPrefix(part.value, before.length);
  if (between === '' && part.value.type === 'open') return { ...part, role: 'harmful', harmless: false };
  if (prefixOf(rest).startsWith('!')) return { ...part, value: withoutPrefix(rest, 1), role: 'code', harmless: false };
  return { ...part, value: rest, role: role.role, reach: role.reach, harmless: role.harmless && part.harmless };
}

function keyRole(keys: ReadonlyMap<string, string>, key: string): ValueKind {
  const pattern = Array.from(keys.keys()).find((known) => known.endsWith('*') && key.startsWith(known.slice(0, -1)));
  const found = valueKind(keys.get(key) ?? keys.get(pattern ?? '') ?? 'harmful');
  return found ?? { role: 'harmful', harmless: false, reach: undefined };
}

/** The words of what is started, with what is replaced in them. */
export function withPlaceholders(reading: ArgumentReader, words: readonly ShellWord[]): readonly ShellWord[] {
  if (reading.placeholders.length === 0) return words;
  return words.map((word) => reading.placeholders.reduce((now, pattern) => replaceWithUnknown(now, pattern), word));
}

/** An option nobody knows: what follows it may be its value. */
export function addUnknownOption(reading: ArgumentReader, name: string, value: ShellWord | undefined): void {
  const role: ValueRole = value === undefined ? 'text' : 'harmful';
  reading.parts.push({ type: 'option', name, value, role, harmless: false });
  const next = reading.words[reading.at];
  const why = `the option ${name} is not known`;
  if (value !== undefined || next === undefined) return shouldShowAll(reading) ? markUnsure(reading, why) : undefined;
  if (!isAmbiguousValue(reading, next)) return markUnsure(reading, why);
  reading.unsureOption ??= why;
  reading.parts.push({ type: 'operand', word: next, role: 'harmful', harmless: false, uncertain: true });
}

/** True if all that the program does should show in its arguments, and some of it may not. */
function shouldShowAll({ usage: { words } }: ArgumentReader): boolean {
  return !words.has('opaque') && !words.has('safe');
}

/** True if the word after an unknown option may be taken for its value and for an operand, and no other changes by it. */
function isAmbiguousValue({ usage, expectsSubcommand: awaits }: ArgumentReader, next: ShellWord): boolean {
  return usage.alikeOperands && !awaits && next.type === 'literal' && !/^[-+]/u.test(next.value);
}
