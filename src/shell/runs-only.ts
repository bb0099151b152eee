/** Whether a line runs nothing but what some entries name (X03, X06). */

import { getOrMake } from '../lazy.ts';
import { unknown, type Truth, type Unknown } from '../truth.ts';
import type { Entry } from './entry.ts';
import type { FoundAnalysis } from './found-analysis.ts';
import type { FoundCommand } from './found-command.ts';
import type { ArgumentPart, Program, ReadArguments } from './program.ts';

/** No if a command is not covered; unknown if all that are known are, but something is not known. */
export function runsOnly(analysis: FoundAnalysis, entries: readonly Entry[]): Truth {
  if (analysis.sets !== undefined) return false;
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknown(analysis.unknown);
  for (const command of analysis.commands) {
    // A function that has the name of a program is not that program.
    if (command.program !== undefined && analysis.defined?.has(command.called ?? '') === true) return false;
    const covered = isCovered(command, entries);
    if (covered === false) return false;
    if (covered !== true) doubt ??= covered;
  }
  return doubt ?? true;
}

const none: readonly FoundCommand[] = [];

/** An entry stands for itself, and for what it starts where that is started in the same way. */
function isCover(command: FoundCommand, index: number): boolean {
  return index === 0 || command.via.length > 0;
}

const coversByEntries = new WeakMap<readonly Entry[], ReadonlyMap<string, readonly FoundCommand[]>>();

/** By their first words. */
function coversOf(entries: readonly Entry[]): ReadonlyMap<string, readonly FoundCommand[]> {
  const known = coversByEntries.get(entries);
  if (known !== undefined) return known;
  const covers = new Map<string, FoundCommand[]>();
  for (const { commands } of entries) {
    for (const command of commands.filter(isCover)) {
      if (command.called !== undefined) getOrMake(covers, command.called, () => []).push(command);
    }
  }
  coversByEntries.set(entries, covers);
  return covers;
}

/** What may cover a command: where it was not started by another one, only what an entry itself names. */
function coversFor({ called, via }: FoundCommand, entries: readonly Entry[]): readonly FoundCommand[] {
  if (called === undefined) return none;
  if (via.length > 0) return coversOf(entries).get(called) ?? none;
  return (
    entriesByWord(entries)
      .get(called)
      ?.map(({ commands }) => commands[0]) ?? none
  );
}

const byFirstWord = new WeakMap<readonly Entry[], ReadonlyMap<string, readonly Entry[]>>();

function entriesByWord(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const known = byFirstWord.get(entries);
  if (known !== undefined) return known;
  const found = new Map<string, Entry[]>();
  for (const entry of entries) if (entry.called !== undefined) getOrMake(found, entry.called, () => []).push(entry);
  byFirstWord.set(entries, found);
  return found;
}

function isCovered(command: FoundCommand, entries: readonly Entry[]): Truth {
  if (command.assignments.length > 0 || command.redirectsOut) return false;
  // Files that are only read, by a group of commands or by none.
  if (command.called === undefined && command.argv.length === 0) return true;
  return isMatched(command, entries, isHarmlessPart);
}

/** Whether an entry stands for a command, whatever is set for it and whichever files it is told to write. */
export function isNamed(command: FoundCommand, entries: readonly Entry[]): Truth {
  return isMatched(command, entries, isShownPart);
}

/** Whether a further argument is fine. */
type Accepts = (part: ArgumentPart) => boolean;

function isMatched(command: FoundCommand, entries: readonly Entry[], accepts: Accepts): Truth {
  if (command.name === undefined) return unknown('the name of a command is not literal');
  let doubt: Unknown | undefined;
  for (const cover of coversFor(command, entries)) {
    const covered = coversOne(command, cover, accepts);
    if (covered === true) return true;
    if (covered !== false) doubt ??= covered;
  }
  return doubt ?? false;
}

function coversOne(command: FoundCommand, cover: FoundCommand, accepts: Accepts): Truth {
  if (cover.via.length > 0 && !sameNames(command.via, cover.via)) return false;
  const { argv, read } = command;
  if (argv.length < cover.argv.length || !startsWith(argv, cover.argv)) return false;
  if (read === undefined || cover.read === undefined) return argv.length === cover.argv.length && !command.more;
  if (!isHarmless([read, cover.read], command.program, accepts)) return false;
  if (command.piped) return unknown('it reads its code from a pipe');
  // Word for word, it is what the entry says, as for a program that is not listed.
  const isExact = argv.length === cover.argv.length && !command.more;
  return read.unsure === undefined || read.safe || isExact ? true : unknown(read.unsure);
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

function startsWith(argv: FoundCommand['argv'], words: FoundCommand['argv']): boolean {
  return words.every((word, index) => {
    const other = argv[index];
    return word.type === 'literal' && other?.type === 'literal' && other.value === word.value;
  });
}

/** What the entry itself says is as it should be; everything beyond has to be harmless. */
function isHarmless(
  [read, cover]: readonly [ReadArguments, ReadArguments],
  program: Program | undefined,
  accepts: Accepts,
): boolean {
  const given = cover.parts.filter(isOwnPart);
  let index = 0;
  for (const part of read.parts) {
    if (!isOwnPart(part)) continue;
    const wanted = given[index];
    const isFine = wanted === undefined ? accepts(part) || isUnlisted(part, read, program) : isSamePart(part, wanted);
    if (!isFine) return false;
    index += 1;
  }
  return index >= given.length;
}

function isOwnPart({ type }: ArgumentPart): boolean {
  return type !== 'command' && type !== 'code';
}

function isHarmlessPart(part: ArgumentPart): boolean {
  return (part.type === 'option' || part.type === 'operand') && part.harmless;
}

/** What is written there, the facts about files tell. */
function isShownPart(part: ArgumentPart): boolean {
  if (part.type === 'option' && part.edits === true) return true;
  return (part.type === 'option' || part.type === 'operand') && (part.harmless || part.role === 'writes');
}

/** Of a program that no option makes do harm, an option that nobody knows is only text: `echo ---`. */
function isUnlisted(part: ArgumentPart, { safe }: ReadArguments, program: Program | undefined): boolean {
  return safe && part.type === 'option' && program?.usage.options.has(part.name) === false;
}

function isSamePart(part: ArgumentPart, wanted: ArgumentPart): boolean {
  if (part.type === 'subcommand') return wanted.type === 'subcommand' && part.name === wanted.name;
  if (part.type === 'option') return wanted.type === 'option' && part.name === wanted.name && part.role === wanted.role;
  return part.type === wanted.type;
}
