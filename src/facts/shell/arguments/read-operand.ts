/** Reads words that are not options: subcommands, programs to start, operands. */

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

/** Reads one word that is not an option. */
export function readOperand(reader: ArgumentReader, word: ShellWord): void {
  if (reader.expectsSubcommand) return readSubcommand(reader, word);
  if (!reader.optionsEnded && couldBeOption(word)) checkForOption(reader, word);
  if (reader.usage.optionsFirst) reader.optionsEnded = true;
  const start = restUsage(reader, word);
  if (start !== undefined) return readRest(reader, word, start);
  reader.operands.push(reader.parts.length);
  const assigns = reader.usage.takesAssignments && isAssignment(word);
  const role = assigns ? 'assignment' : 'harmful';
  reader.parts.push({ type: 'operand', word, role, harmless: false });
}

function checkForOption(reader: ArgumentReader, word: ShellWord): void {
  const why = `${displayWord(word)} may be an option`;
  const isGlob = word.type === 'open' && isKnownByDisk(word);
  if (!isGlob || reader.usage.starts) markUnsure(reader, why);
  else reader.unsureGlob ??= why;
}

function readSubcommand(reader: ArgumentReader, word: ShellWord): void {
  const found = word.type === 'literal' ? reader.usage.findSubcommand?.(word.value) : undefined;
  if (found === undefined) {
    const why = `${displayWord(word)} is not a known subcommand`;
    if (word.type === 'open') markUnsure(reader, why);
    else reader.unsure ??= why;
    reader.opaque = true;
  }
  const name = found?.name ?? prefixOf(word);
  if (name !== '') reader.parts.push({ type: 'subcommand', name });
  reader.usage = found?.usage ?? anyArguments();
  reader.expectsSubcommand = reader.usage.findSubcommand !== undefined;
  reader.optionsEnded = reader.usage.words.has('raw');
  reader.givenOptions = [];
  reader.operands = [];
  reader.operandsBeforeDashes = 0;
}

function isAssignment(word: ShellWord): boolean {
  return /^[^-].*=/su.test(prefixOf(word));
}

/** The operand that takes this word and all following ones: another program, or code that is joined. */
function restUsage(reader: ArgumentReader, word: ShellWord): OperandUsage | undefined {
  if (!reader.usage.takesRest) return undefined;
  const usages = operandUsages(reader);
  const at = usages.findIndex(takesRest);
  if (at === -1) return undefined;
  const assigns = usages.some(isAssignments);
  if (assigns && isAssignment(word)) return undefined;
  const before = usages.slice(0, at).filter(({ repeated }) => !repeated).length;
  const taken = reader.operands.filter((index) => {
    const part = reader.parts[index];
    return !assigns || (part?.type === 'operand' && part.role !== 'assignment');
  }).length;
  if (taken < before && maySplit(word)) markUnsure(reader, `${displayWord(word)} may expand to several words`);
  return taken < before ? undefined : usages[at];
}

function readRest(reader: ArgumentReader, word: ShellWord, { role, of }: OperandUsage): void {
  const first = reader.usage.words.has('fetches') ? withoutVersion(word) : word;
  const words = withPlaceholders(reader, [first, ...reader.words.slice(reader.at)]);
  reader.at = reader.words.length;
  const more = reader.usage.words.has('more') && !hasMark(reader, 'nomore');
  if (role === 'code') reader.parts.push({ type: 'code', words });
  else reader.parts.push({ type: 'command', argv: of === undefined ? words : [literal(of), ...words], more });
}

/** `npx prettier@3` starts prettier. */
function withoutVersion(word: ShellWord): ShellWord {
  return word.type === 'literal' ? literal(word.value.replace(/(?<=[^@/])@[\w.^~-]*$/u, ''), word.text) : word;
}

/** Gives every operand its role, now that all options are known. */
export function assignRoles(reader: ArgumentReader): void {
  const usages = operandUsages(reader);
  const assigns = usages.some(isAssignments);
  const fixed = assigns ? usages.filter((usage) => !isAssignments(usage)) : usages;
  const given = assigns ? reader.operands.filter((index) => !isAssigned(reader, index)) : reader.operands;
  for (let place = 0; place < given.length; place += 1) {
    const usage = usageAt(fixed, place, given.length);
    // Before `--`, git accepts only a revision.
    assignRole(
      reader,
      given[place] ?? 0,
      usage?.syntax === 'pathspec' && place < reader.operandsBeforeDashes ? revision : usage,
    );
  }
  addWorkingFolder(reader, fixed, given.length);
  if (reader.usage.with.size > 0) applyOverlay(reader);
  if (reader.usage.scan !== undefined) scanCodeArguments(reader, reader.usage.scan);
}

function isAssigned(reader: ArgumentReader, index: number): boolean {
  const part = reader.parts[index];
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

function assignRole(reader: ArgumentReader, index: number, usage: OperandUsage | undefined): void {
  const part = reader.parts[index];
  if (part?.type !== 'operand') return;
  const { word } = part;
  if (usage !== undefined && !usage.repeated && maySplit(word))
    markUnsure(reader, `${displayWord(word)} may expand to several words`);
  const value = changedByOptions(reader, usage ?? surplusOperand);
  const { role, reach } = value;
  const harmless = value.harmless && (role !== 'writes' || staysBelow(word));
  if (role === 'code') reader.parts[index] = { type: 'code', words: [word] };
  else if (value.syntax === undefined) reader.parts[index] = { type: 'operand', word, role, harmless, reach };
  else reader.parts[index] = { type: 'operand', word, role, harmless, reach, ...readEmbedded(value, word) };
  for (const file of value.syntax === undefined ? [] : additionalFiles(value.syntax, word))
    reader.parts.push({ type: 'operand', harmless, reach, ...file });
  if (value.syntax === 'revision') {
    for (const file of filesOfRevision(word))
      reader.parts.push({ type: 'operand', word: file, role: 'reads', harmless, reach: 'picked' });
  }
}

/** How the options change the role of file operands. */
function changedByOptions({ givenOptions }: ArgumentReader, usual: ValueKind): ValueKind {
  let value = usual;
  for (const option of givenOptions) {
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
  // A link in a tree is copied as a link.
  return { ...now, reach: isCopy && now.role === 'reads' ? 'walked' : 'tree' };
}

function isFile({ role }: ValueKind): boolean {
  return isRead(role) || role === 'writes';
}

function isRead(role: ValueRole): boolean {
  return role === 'reads' || role === 'either' || role === 'entry';
}

/** Adds the working folder if no operand names another. */
function addWorkingFolder(reader: ArgumentReader, usages: readonly OperandUsage[], given: number): void {
  const at = usages.findIndex(isFolder);
  const usage = usages[at];
  if (usage === undefined || given > at) return;
  const { role, reach } = changedByOptions(reader, usage);
  const read = isRead(role) ? [readFolder(reach)] : [];
  const made = reach === 'tree' || reach === 'onto' || reach === 'link' || reach === 'filled' ? 'anything' : 'writes';
  // An option such as `find -delete` makes a search write what it finds.
  const swept = isRead(usage.role) && usage.role !== 'either' && reach === 'tree' ? 'sweeps' : made;
  const written = role === 'writes' || role === 'either' ? [swept as ImpliedAccess] : [];
  reader.implied = [...reader.implied, ...read, ...written];
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

/** Options whose meaning depends on others: tar reads `-f` with `-x` and writes it with `-c`. */
function applyOverlay(reader: ArgumentReader): void {
  const overlay = overlayOf(reader);
  if (overlay === undefined) return;
  for (const [index, part] of reader.parts.entries()) {
    const other = part.type === 'option' ? overlay.options.get(part.name) : undefined;
    if (part.type !== 'option' || other === undefined) continue;
    const { role, reach } = other.value;
    const held = part.value === undefined ? undefined : readEmbedded(other.value, part.value);
    reader.parts[index] =
      held === undefined
        ? { ...part, role, reach, harmless: other.harmless }
        : { ...part, value: held.word, role: held.role, reach: held.reach, harmless: held.harmless && part.harmless };
  }
}
