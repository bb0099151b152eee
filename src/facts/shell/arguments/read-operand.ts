/** Takes the words that are no options: subcommands, programs that are started, operands. */

import { lazy } from '../../../kernel/lazy.ts';
import { filesOfRevision } from './git-names.ts';
import { additionalFiles, readEmbedded } from './text-syntax.ts';
import {
  withPlaceholders,
  markUnsure,
  hasMark,
  operandUsages,
  overlayOf,
  type ArgumentReader,
} from './argument-reader.ts';
import type { ImpliedAccess, FolderReach, ValueRole } from '../usage/value-role.ts';
import { scanCodeArguments } from './scan-code-arguments.ts';
import { literal, type ShellWord, displayWord } from '../words/shell-word.ts';
import type { OperandUsage, OptionUsage, ValueKind } from '../usage/parse-usage.ts';
import { isAssignments, takesRest, compileUsage } from '../usage/program-usage.ts';
import { isKnownByDisk, couldBeOption, prefixOf, maySplit, staysBelow } from '../words/inspect-word.ts';

const anyArguments = lazy(() => compileUsage('opaque <harmful>...'));

/** Takes one word that is no option. */
export function readOperand(reading: ArgumentReader, word: ShellWord): void {
  if (reading.expectsSubcommand) return readSubcommand(reading, word);
  if (!reading.optionsEnded && couldBeOption(word)) checkForOption(reading, word);
  if (reading.usage.optionsFirst) reading.optionsEnded = true;
  const start = restUsage(reading, word);
  if (start !== undefined) return readRest(reading, word, start);
  reading.operands.push(reading.parts.length);
  const assigns = reading.usage.takesAssignments && isAssignment(word);
  const role = assigns ? 'assignment' : 'harmful';
  reading.parts.push({ type: 'operand', word, role, harmless: false });
}

function checkForOption(reading: ArgumentReader, word: ShellWord): void {
  const why = `${displayWord(word)} may be an option`;
  const isGlob = word.type === 'open' && isKnownByDisk(word);
  if (!isGlob || reading.usage.starts) markUnsure(reading, why);
  else reading.unsureGlob ??= why;
}

function readSubcommand(reading: ArgumentReader, word: ShellWord): void {
  const found = word.type === 'literal' ? reading.usage.command?.(word.value) : undefined;
  if (found === undefined) {
    const why = `${displayWord(word)} is no subcommand that is known`;
    if (word.type === 'open') markUnsure(reading, why);
    else reading.unsure ??= why;
    reading.opaque = true;
  }
  const name = found?.name ?? prefixOf(word);
  if (name !== '') reading.parts.push({ type: 'subcommand', name });
  reading.usage = found?.usage ?? anyArguments();
  reading.expectsSubcommand = reading.usage.command !== undefined;
  reading.optionsEnded = reading.usage.words.has('raw');
  reading.givenOptions = [];
  reading.operands = [];
  reading.operandsBeforeDashes = 0;
}

function isAssignment(word: ShellWord): boolean {
  return /^[^-].*=/su.test(prefixOf(word));
}

/** What takes this word and all after it: another program, or code that is joined. */
function restUsage(reading: ArgumentReader, word: ShellWord): OperandUsage | undefined {
  if (!reading.usage.takesRest) return undefined;
  const usages = operandUsages(reading);
  const at = usages.findIndex(takesRest);
  if (at === -1) return undefined;
  const assigns = usages.some(isAssignments);
  if (assigns && isAssignment(word)) return undefined;
  const before = usages.slice(0, at).filter(({ repeated }) => !repeated).length;
  const taken = reading.operands.filter((index) => {
    const part = reading.parts[index];
    return !assigns || (part?.type === 'operand' && part.role !== 'assignment');
  }).length;
  if (taken < before && maySplit(word)) markUnsure(reading, `${displayWord(word)} may be several words`);
  return taken < before ? undefined : usages[at];
}

function readRest(reading: ArgumentReader, word: ShellWord, { role, of }: OperandUsage): void {
  const first = reading.usage.words.has('fetches') ? withoutVersion(word) : word;
  const words = withPlaceholders(reading, [first, ...reading.words.slice(reading.at)]);
  reading.at = reading.words.length;
  const more = reading.usage.words.has('more') && !hasMark(reading, 'nomore');
  if (role === 'code') reading.parts.push({ type: 'code', words });
  else reading.parts.push({ type: 'command', argv: of === undefined ? words : [literal(of), ...words], more });
}

/** `npx prettier@3` starts prettier. */
function withoutVersion(word: ShellWord): ShellWord {
  return word.type === 'literal' ? literal(word.value.replace(/(?<=[^@/])@[\w.^~-]*$/u, ''), word.text) : word;
}

/** Tells every operand its role, now that all options are known. */
export function assignRoles(reading: ArgumentReader): void {
  const usages = operandUsages(reading);
  const assigns = usages.some(isAssignments);
  const fixed = assigns ? usages.filter((usage) => !isAssignments(usage)) : usages;
  const given = assigns ? reading.operands.filter((index) => !isAssigned(reading, index)) : reading.operands;
  for (let place = 0; place < given.length; place += 1) {
    const usage = usageAt(fixed, place, given.length);
    // Before `--` git takes a revision only.
    assignRole(
      reading,
      given[place] ?? 0,
      usage?.syntax === 'pathspec' && place < reading.operandsBeforeDashes ? revision : usage,
    );
  }
  addWorkingFolder(reading, fixed, given.length);
  if (reading.usage.with.size > 0) applyOverlay(reading);
  if (reading.usage.scan !== undefined) scanCodeArguments(reading, reading.usage.scan);
}

function isAssigned(reading: ArgumentReader, index: number): boolean {
  const part = reading.parts[index];
  return part?.type === 'operand' && part.role === 'assignment';
}

const revision: OperandUsage = {
  role: 'text',
  harmless: false,
  reach: undefined,
  repeated: true,
  folder: false,
  of: undefined,
};
const surplusOperand: ValueKind = { role: 'harmful', harmless: false, reach: undefined };

function assignRole(reading: ArgumentReader, index: number, usage: OperandUsage | undefined): void {
  const part = reading.parts[index];
  if (part?.type !== 'operand') return;
  const { word } = part;
  if (usage !== undefined && !usage.repeated && maySplit(word))
    markUnsure(reading, `${displayWord(word)} may be several words`);
  const value = changedByOptions(reading, usage ?? surplusOperand);
  const { role, reach } = value;
  const harmless = value.harmless && (role !== 'writes' || staysBelow(word));
  if (role === 'code') reading.parts[index] = { type: 'code', words: [word] };
  else if (value.syntax === undefined) reading.parts[index] = { type: 'operand', word, role, harmless, reach };
  else reading.parts[index] = { type: 'operand', word, role, harmless, reach, ...readEmbedded(value, word) };
  for (const file of value.syntax === undefined ? [] : additionalFiles(value.syntax, word))
    reading.parts.push({ type: 'operand', harmless, reach, ...file });
  if (value.syntax === 'revision') {
    for (const file of filesOfRevision(word))
      reading.parts.push({ type: 'operand', word: file, role: 'reads', harmless, reach: 'picked' });
  }
}

/** What the options make of the files among the operands. */
function changedByOptions({ givenOptions: seen }: ArgumentReader, usual: ValueKind): ValueKind {
  let value = usual;
  for (const option of seen) {
    if ((option.operands !== undefined || option.marks.size > 0) && isFile(value)) value = applyOption(value, option);
  }
  return value;
}

function applyOption(value: ValueKind, { operands, marks }: OptionUsage): ValueKind {
  const now = operands ?? value;
  const isCopy = marks.has('copies');
  if ((!isCopy && !marks.has('tree')) || !isFile(now)) return now;
  if (now.reach === undefined || now.reach === 'sync' || now.reach === 'link') return now;
  if (now.reach === 'into' || now.reach === 'onto') return { ...now, reach: 'onto' };
  // A link in a tree is copied as one.
  return { ...now, reach: isCopy && now.role === 'reads' ? 'walked' : 'tree' };
}

function isFile({ role }: ValueKind): boolean {
  return isRead(role) || role === 'writes';
}

function isRead(role: ValueRole): boolean {
  return role === 'reads' || role === 'either' || role === 'entry';
}

/** The working folder, where no operand names another. */
function addWorkingFolder(reading: ArgumentReader, usages: readonly OperandUsage[], given: number): void {
  const at = usages.findIndex(isFolder);
  const usage = usages[at];
  if (usage === undefined || given > at) return;
  const { role, reach } = changedByOptions(reading, usage);
  const read = isRead(role) ? [readFolder(reach)] : [];
  const made = reach === 'tree' || reach === 'onto' || reach === 'link' || reach === 'filled' ? 'anything' : 'writes';
  // An option such as `find -delete` makes a search write what it finds.
  const swept = isRead(usage.role) && usage.role !== 'either' && reach === 'tree' ? 'sweeps' : made;
  const written = role === 'writes' || role === 'either' ? [swept as ImpliedAccess] : [];
  reading.implied = [...reading.implied, ...read, ...written];
}

/** How the working folder is read, as if it were named. */
function readFolder(reach: FolderReach | undefined): ImpliedAccess {
  if (reach === 'itself') return 'lists';
  if (reach === 'picked' || reach === 'filled') return 'reads';
  return reach === 'visible' || reach === 'unignored' || reach === 'walked' ? reach : 'searches';
}

function isFolder({ folder }: OperandUsage): boolean {
  return folder;
}

function isRepeated({ repeated }: OperandUsage): boolean {
  return repeated;
}

function usageAt(usages: readonly OperandUsage[], place: number, count: number): OperandUsage | undefined {
  const repeated = usages.findIndex(isRepeated);
  if (repeated < 0 || place < repeated) return usages[place];
  const tails = usages.length - repeated - 1;
  const fromEnd = count - place;
  const spare = count - repeated;
  return fromEnd <= tails && spare >= fromEnd ? usages[usages.length - fromEnd] : usages[repeated];
}

/** Options whose meaning depends on others: `-f` of tar is read with `-x` and written with `-c`. */
function applyOverlay(reading: ArgumentReader): void {
  const overlay = overlayOf(reading);
  if (overlay === undefined) return;
  for (const [index, part] of reading.parts.entries()) {
    const other = part.type === 'option' ? overlay.options.get(part.name) : undefined;
    if (part.type !== 'option' || other === undefined) continue;
    const { role, reach } = other.value;
    const held = part.value === undefined ? undefined : readEmbedded(other.value, part.value);
    reading.parts[index] =
      held === undefined
        ? { ...part, role, reach, harmless: other.harmless }
        : { ...part, value: held.word, role: held.role, reach: held.reach, harmless: held.harmless && part.harmless };
  }
}
