/** The state of reading the arguments of one command. */

import { heldText } from './held-text.ts';
import { filterMarks, filtersOf } from './name-filters.ts';
import type { ArgumentPart, OptionPart } from './program.ts';
import type { Implied, NameFilter, Role, Stdin } from './role.ts';
import { shownText, type ShellWord } from './shell-word.ts';
import { valueOf, type OperandUsage, type OptionUsage, type UsageText, type Value } from './usage-text.ts';
import type { Usage } from './usage.ts';
import { exactly, prefixOf, replaceIn, splits, withoutPrefix } from './word-shape.ts';

export interface Reading {
  usage: Usage;
  words: readonly ShellWord[];
  /** Where the next word stands. */
  at: number;
  /** True: no options any more. */
  ended: boolean;
  /** How many operands stand before `--`, if there is one. */
  before: number;
  /** True: a subcommand is awaited. */
  awaits: boolean;
  readonly parts: ArgumentPart[];
  /** Where in `parts` operands stand whose roles are told at the end. */
  operands: number[];
  /** The options given since the last subcommand. */
  seen: OptionUsage[];
  implied: readonly Implied[];
  /** What is replaced in the words of what is started. */
  replaced: readonly RegExp[];
  /** Which files below the folders among the operands are searched. */
  filters: readonly NameFilter[];
  stdin: Stdin | undefined;
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
export function doubt(reading: Reading, why: string): void {
  reading.unsure ??= why;
  if (reading.usage.starts || reading.awaits) reading.unsureCommand ??= why;
}

/** What is different by the options given. */
export function overlayOf(reading: Reading): UsageText | undefined {
  const { usage, seen } = reading;
  if (usage.with.size === 0 || seen.length === 0) return undefined;
  for (const [name, overlay] of usage.with) if (hasSeen(reading, name)) return overlay;
  return undefined;
}

function hasSeen({ seen }: Reading, name: string): boolean {
  for (const option of seen) if (option.name === name) return true;
  return false;
}

/** Whether an option with this mark was given. */
export function hasMark({ seen }: Reading, mark: string): boolean {
  for (const { marks } of seen) if (marks.size > 0 && marks.has(mark)) return true;
  return false;
}

/** What the operands are, by the options given. */
export function operandUsages(reading: Reading): readonly OperandUsage[] {
  const overlay = overlayOf(reading);
  const usages = overlay !== undefined && overlay.operands.length > 0 ? overlay.operands : reading.usage.operands;
  if (reading.seen.length === 0 || usages[0]?.repeated === true) return usages;
  return hasMark(reading, 'first') ? usages.slice(1) : usages;
}

/** The next word as the value of an option; it may be missing. */
export function takeValue(reading: Reading): ShellWord | undefined {
  const word = reading.words[reading.at];
  reading.at += 1;
  if (word === undefined) doubt(reading, 'an option lacks its value');
  else if (splits(word)) doubt(reading, `${shownText(word)} may be several words`);
  return word;
}

export interface GivenOption {
  readonly value: ShellWord | undefined;
  /** True: spelled in full. */
  readonly exact: boolean;
}

const none: readonly never[] = [];

/** A reading at its start; `at`: where the arguments begin. */
export function startReading(usage: Usage, words: readonly ShellWord[], at: number): Reading {
  return {
    usage,
    words,
    at,
    ended: false,
    before: 0,
    awaits: usage.command !== undefined,
    parts: [],
    operands: [],
    seen: [],
    implied: none,
    replaced: none,
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
export function addOption(reading: Reading, option: OptionUsage, { value, exact }: GivenOption): void {
  reading.seen.push(option);
  const { name, harmless, value: usual, marks, implied } = option;
  if (marks.size === 0 || !marks.has('split')) {
    const { role, reach } = usual;
    const part: OptionPart = { type: 'option', name, value, role, reach, harmless: harmless && exact };
    if (value !== undefined)
      reading.parts.push(byKey(reading, usual.holds === undefined ? part : withHeldText(part, usual)));
    else reading.parts.push(exact && option.operands?.role === 'writes' ? { ...part, edits: true } : part);
  }
  if (implied.length > 0) reading.implied = [...reading.implied, ...implied];
  if (option.stdin !== undefined) reading.stdin = option.stdin;
  if (marks.size > 0) applyMarks(reading, option, value);
  if (reading.usage.implies.size > 0) addImplied(reading, name, value);
}

function withHeldText(part: OptionPart, usual: Value): OptionPart {
  const held = part.value === undefined ? undefined : heldText(usual, part.value);
  return held === undefined
    ? part
    : { ...part, value: held.word, role: held.role, reach: held.reach, harmless: held.harmless && part.harmless };
}

function applyMarks(reading: Reading, { name, marks, value: usual }: OptionUsage, value: ShellWord | undefined): void {
  reading.opaque ||= marks.has('opaque');
  reading.moves ||= marks.has('moves');
  reading.ended ||= marks.has('last');
  // `find -delete -name x` deletes before it looks at names.
  if (marks.has('decides') && reading.filters.length === 0) reading.filters = filtersOf('unfiltered', undefined);
  const filter = filterMarks.find((mark) => marks.has(mark));
  if (filter !== undefined)
    reading.filters = [...reading.filters, ...filtersOf(filter, usual.role === 'text' ? value : undefined)];
  if (marks.has('shifts')) reading.shifts ??= `${name} changes what follows`;
  if (marks.has('replace')) replaceLater(reading, value);
  if (marks.has('links')) reading.unsure ??= `${name} follows every link below a folder`;
  if (marks.has('unsure')) reading.unsureCommand ??= `${name} may start something`;
}

function replaceLater(reading: Reading, value: ShellWord | undefined): void {
  if (value === undefined) reading.replaced = [...reading.replaced, /\{\}/u];
  else if (value.type === 'open' || value.value === '') doubt(reading, 'what is replaced is not known');
  else reading.replaced = [...reading.replaced, exactly(value.value)];
}

/** Adds the options that an option, or an option with its value, also stands for. */
function addImplied(reading: Reading, name: string, value: ShellWord | undefined): void {
  const withValue = value?.type === 'literal' ? reading.usage.implies.get(`${name} ${value.value}`) : undefined;
  for (const other of [...(reading.usage.implies.get(name) ?? []), ...(withValue ?? [])]) addByName(reading, other);
}

/** Adds an option that was not written, by its name. */
export function addByName(reading: Reading, name: string): void {
  const option = reading.usage.options.get(name);
  if (hasSeen(reading, option?.name ?? name)) return;
  if (option !== undefined) addOption(reading, option, { value: undefined, exact: false });
  else reading.parts.push({ type: 'option', name, value: undefined, role: 'text', harmless: false });
}

/** What the value of `-c key=value` is depends on the key. */
function byKey(reading: Reading, part: OptionPart): OptionPart {
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

function keyRole(keys: ReadonlyMap<string, string>, key: string): Value {
  const pattern = Array.from(keys.keys()).find((known) => known.endsWith('*') && key.startsWith(known.slice(0, -1)));
  const found = valueOf(keys.get(key) ?? keys.get(pattern ?? '') ?? 'harmful');
  return found ?? { role: 'harmful', harmless: false, reach: undefined };
}

/** The words of what is started, with what is replaced in them. */
export function asStarted(reading: Reading, words: readonly ShellWord[]): readonly ShellWord[] {
  if (reading.replaced.length === 0) return words;
  return words.map((word) => reading.replaced.reduce((now, pattern) => replaceIn(now, pattern), word));
}

/** An option nobody knows: what follows it may be its value. */
export function addUnlisted(reading: Reading, name: string, value: ShellWord | undefined): void {
  const role: Role = value === undefined ? 'text' : 'harmful';
  reading.parts.push({ type: 'option', name, value, role, harmless: false });
  const next = reading.words[reading.at];
  const why = `the option ${name} is not known`;
  if (value !== undefined || next === undefined) return isShown(reading) ? doubt(reading, why) : undefined;
  if (!isAlike(reading, next)) return doubt(reading, why);
  reading.unsureOption ??= why;
  reading.parts.push({ type: 'operand', word: next, role: 'harmful', harmless: false, guessed: true });
}

/** True if all that the program does should show in its arguments, and some of it may not. */
function isShown({ usage: { words } }: Reading): boolean {
  return !words.has('opaque') && !words.has('safe');
}

/** True if the word after an unknown option may be taken for its value and for an operand, and no other changes by it. */
function isAlike({ usage, awaits }: Reading, next: ShellWord): boolean {
  return usage.uniform && !awaits && next.type === 'literal' && !/^[-+]/u.test(next.value);
}
