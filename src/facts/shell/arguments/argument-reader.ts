/** The state of parsing the arguments of one command. */

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
  /** The index of the next word. */
  at: number;
  /** True: no more options follow. */
  optionsEnded: boolean;
  /** How many operands come before `--`, if there is one. */
  operandsBeforeDashes: number;
  /** True: a subcommand must follow. */
  expectsSubcommand: boolean;
  readonly parts: ArgumentPart[];
  /** Indexes in `parts` of operands whose roles are assigned at the end. */
  operands: number[];
  /** The options given since the last subcommand. */
  givenOptions: OptionUsage[];
  implied: readonly ImpliedAccess[];
  /** Placeholders to replace in the words of a started command. */
  placeholders: readonly RegExp[];
  /** Selects files below the folders among the operands. */
  filters: readonly NameFilter[];
  stdin: StdinUse | undefined;
  opaque: boolean;
  /** True: embedded code was scanned, and the scan found what it uses. */
  scanned: boolean;
  changesFolder: boolean;
  changesMeaning: string | undefined;
  unsure: string | undefined;
  /** Why a glob pattern may not be an operand: only the files on the disk decide. */
  unsureGlob: string | undefined;
  unsureCommand: string | undefined;
  /** The unknown option. The word after it counts as a file, both as its value and as an operand. */
  unsureOption: string | undefined;
}

/** Records that parts may be missing or wrong. */
export function markUnsure(reader: ArgumentReader, why: string): void {
  reader.unsure ??= why;
  if (reader.usage.starts || reader.expectsSubcommand) reader.unsureCommand ??= why;
}

/** The changes that apply because of a given option. */
export function overlayOf(reader: ArgumentReader): ParsedUsage | undefined {
  const { usage, givenOptions } = reader;
  if (usage.with.size === 0 || givenOptions.length === 0) return undefined;
  for (const [name, overlay] of usage.with) if (isGiven(reader, name)) return overlay;
  return undefined;
}

function isGiven({ givenOptions }: ArgumentReader, name: string): boolean {
  for (const option of givenOptions) if (option.name === name) return true;
  return false;
}

/** Whether an option with this mark was given. */
export function hasMark({ givenOptions }: ArgumentReader, mark: string): boolean {
  for (const { marks } of givenOptions) if (marks.size > 0 && marks.has(mark)) return true;
  return false;
}

/** The operand usages, considering the given options. */
export function operandUsages(reader: ArgumentReader): readonly OperandUsage[] {
  const overlay = overlayOf(reader);
  const usages = overlay !== undefined && overlay.operands.length > 0 ? overlay.operands : reader.usage.operands;
  if (reader.givenOptions.length === 0 || usages[0]?.repeated === true) return usages;
  return hasMark(reader, 'first') ? usages.slice(1) : usages;
}

/** Takes the next word as the value of an option. It may be missing. */
export function takeValue(reader: ArgumentReader): ShellWord | undefined {
  const word = reader.words[reader.at];
  reader.at += 1;
  if (word === undefined) markUnsure(reader, 'the value of an option is missing');
  else if (maySplit(word)) markUnsure(reader, `${displayWord(word)} may expand to several words`);
  return word;
}

export interface OptionValue {
  readonly value: ShellWord | undefined;
  /** True: spelled in full. */
  readonly exact: boolean;
}

const none: readonly never[] = [];

/** Creates a reader. `at`: the index of the first argument. */
export function startReader(usage: ProgramUsage, words: readonly ShellWord[], at: number): ArgumentReader {
  return {
    usage,
    words,
    at,
    optionsEnded: false,
    operandsBeforeDashes: 0,
    expectsSubcommand: usage.findSubcommand !== undefined,
    parts: [],
    operands: [],
    givenOptions: [],
    implied: none,
    placeholders: none,
    filters: none,
    stdin: undefined,
    opaque: false,
    scanned: false,
    changesFolder: false,
    changesMeaning: undefined,
    unsure: undefined,
    unsureGlob: undefined,
    unsureCommand: undefined,
    unsureOption: undefined,
  };
}

/** Adds an option and applies its effects. */
export function addOption(reader: ArgumentReader, option: OptionUsage, { value, exact }: OptionValue): void {
  reader.givenOptions.push(option);
  const { name, harmless, value: usual, marks, implied } = option;
  if (marks.size === 0 || !marks.has('split')) {
    const { role, reach } = usual;
    const part: OptionPart = { type: 'option', name, value, role, reach, harmless: harmless && exact };
    if (value !== undefined)
      reader.parts.push(withKeyRole(reader, usual.syntax === undefined ? part : withEmbedded(part, usual)));
    else reader.parts.push(exact && option.operands?.role === 'writes' ? { ...part, writesOperands: true } : part);
  }
  if (implied.length > 0) reader.implied = [...reader.implied, ...implied];
  if (option.stdin !== undefined) reader.stdin = option.stdin;
  if (marks.size > 0) applyMarks(reader, option, value);
  if (reader.usage.implies.size > 0) addImplied(reader, name, value);
}

function withEmbedded(part: OptionPart, usual: ValueKind): OptionPart {
  const held = part.value === undefined ? undefined : readEmbedded(usual, part.value);
  return held === undefined
    ? part
    : { ...part, value: held.word, role: held.role, reach: held.reach, harmless: held.harmless && part.harmless };
}

function applyMarks(
  reader: ArgumentReader,
  { name, marks, value: usual }: OptionUsage,
  value: ShellWord | undefined,
): void {
  reader.opaque ||= marks.has('opaque');
  reader.changesFolder ||= marks.has('moves');
  reader.optionsEnded ||= marks.has('last');
  // `find -delete -name x` deletes before it checks the name.
  if (marks.has('decides') && reader.filters.length === 0) reader.filters = filtersOf('unfiltered', undefined);
  const filter = filterKinds.find((mark) => marks.has(mark));
  if (filter !== undefined)
    reader.filters = [...reader.filters, ...filtersOf(filter, usual.role === 'text' ? value : undefined)];
  if (marks.has('shifts')) reader.changesMeaning ??= `${name} changes the meaning of what follows`;
  if (marks.has('replace')) addPlaceholder(reader, value);
  if (marks.has('links')) reader.unsure ??= `${name} follows every link below a folder`;
  if (marks.has('unsure')) reader.unsureCommand ??= `${name} may start a program`;
}

function addPlaceholder(reader: ArgumentReader, value: ShellWord | undefined): void {
  if (value === undefined) reader.placeholders = [...reader.placeholders, /\{\}/u];
  else if (value.type === 'open' || value.value === '') markUnsure(reader, 'a placeholder is not literal');
  else reader.placeholders = [...reader.placeholders, literalPattern(value.value)];
}

/** Adds the options implied by an option, or by an option with its value. */
function addImplied(reader: ArgumentReader, name: string, value: ShellWord | undefined): void {
  const withValue = value?.type === 'literal' ? reader.usage.implies.get(`${name} ${value.value}`) : undefined;
  for (const other of [...(reader.usage.implies.get(name) ?? []), ...(withValue ?? [])]) addByName(reader, other);
}

/** Adds an option that was not written, by its name. */
export function addByName(reader: ArgumentReader, name: string): void {
  const option = reader.usage.options.get(name);
  if (isGiven(reader, option?.name ?? name)) return;
  if (option !== undefined) addOption(reader, option, { value: undefined, exact: false });
  else reader.parts.push({ type: 'option', name, value: undefined, role: 'text', harmless: false });
}

/** The role of the value in `-c key=value` depends on the key. */
function withKeyRole(reader: ArgumentReader, part: OptionPart): OptionPart {
  const keys = reader.usage.keys.size === 0 ? undefined : reader.usage.keys.get(part.name);
  if (keys === undefined || part.value === undefined) return part;
  // Some programs also accept `-o=key=value`.
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

/** The words of a started command, with placeholders marked as unknown. */
export function withPlaceholders(reader: ArgumentReader, words: readonly ShellWord[]): readonly ShellWord[] {
  if (reader.placeholders.length === 0) return words;
  return words.map((word) => reader.placeholders.reduce((now, pattern) => replaceWithUnknown(now, pattern), word));
}

/** Adds an unknown option. The next word may be its value. */
export function addUnknownOption(reader: ArgumentReader, name: string, value: ShellWord | undefined): void {
  const role: ValueRole = value === undefined ? 'text' : 'harmful';
  reader.parts.push({ type: 'option', name, value, role, harmless: false });
  const next = reader.words[reader.at];
  const why = `${name} is not a known option`;
  if (value !== undefined || next === undefined) return shouldShowAll(reader) ? markUnsure(reader, why) : undefined;
  if (!isAmbiguousValue(reader, next)) return markUnsure(reader, why);
  reader.unsureOption ??= why;
  reader.parts.push({ type: 'operand', word: next, role: 'harmful', harmless: false, uncertain: true });
}

/** True if the arguments should show everything the program does, but may not. */
function shouldShowAll({ usage: { words } }: ArgumentReader): boolean {
  return !words.has('opaque') && !words.has('safe');
}

/** True if the word after an unknown option may be its value or an operand, and nothing else depends on which. */
function isAmbiguousValue({ usage, expectsSubcommand }: ArgumentReader, next: ShellWord): boolean {
  return usage.alikeOperands && !expectsSubcommand && next.type === 'literal' && !/^[-+]/u.test(next.value);
}
