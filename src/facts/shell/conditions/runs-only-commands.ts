/** Whether a line runs nothing but what some entries name (X03, X06). */

import { getOrCreate } from '../../../kernel/lazy.ts';
import { unknownBecause, type Truth, type Unknown } from '../../../kernel/policy/conditions/truth.ts';
import type { CommandEntry } from './command-entry.ts';
import type { LineAnalysis } from '../analysis/line-analysis.ts';
import type { LineCommand } from '../commands/line-command.ts';
import type { ArgumentPart, Program, ParsedArguments } from '../usage/program.ts';

/** No if a command is not covered; unknown if all that are known are, but something is not known. */
export function runsOnlyCommands(analysis: LineAnalysis, entries: readonly CommandEntry[]): Truth {
  if (analysis.environmentVariable !== undefined) return false;
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknownBecause(analysis.unknown);
  for (const command of analysis.commands) {
    // A function that has the name of a program is not that program.
    if (command.program !== undefined && analysis.definedFunctions?.has(command.firstWord ?? '') === true) return false;
    const covered = isCovered(command, entries);
    if (covered === false) return false;
    if (covered !== true) doubt ??= covered;
  }
  return doubt ?? true;
}

const none: readonly LineCommand[] = [];

/** An entry stands for itself, and for what it starts where that is started in the same way. */
function isEntryCommand(command: LineCommand, index: number): boolean {
  return index === 0 || command.via.length > 0;
}

const commandsCache = new WeakMap<readonly CommandEntry[], ReadonlyMap<string, readonly LineCommand[]>>();

/** By their first words. */
function commandsByFirstWord(entries: readonly CommandEntry[]): ReadonlyMap<string, readonly LineCommand[]> {
  const known = commandsCache.get(entries);
  if (known !== undefined) return known;
  const covers = new Map<string, LineCommand[]>();
  for (const { commands } of entries) {
    for (const command of commands.filter(isEntryCommand)) {
      if (command.firstWord !== undefined) getOrCreate(covers, command.firstWord, () => []).push(command);
    }
  }
  commandsCache.set(entries, covers);
  return covers;
}

/** What may cover a command: where it was not started by another one, only what an entry itself names. */
function candidatesFor(
  { firstWord: called, via }: LineCommand,
  entries: readonly CommandEntry[],
): readonly LineCommand[] {
  if (called === undefined) return none;
  if (via.length > 0) return commandsByFirstWord(entries).get(called) ?? none;
  return (
    entriesByWord(entries)
      .get(called)
      ?.map(({ commands }) => commands[0]) ?? none
  );
}

const entriesCache = new WeakMap<readonly CommandEntry[], ReadonlyMap<string, readonly CommandEntry[]>>();

function entriesByWord(entries: readonly CommandEntry[]): ReadonlyMap<string, readonly CommandEntry[]> {
  const known = entriesCache.get(entries);
  if (known !== undefined) return known;
  const found = new Map<string, CommandEntry[]>();
  for (const entry of entries)
    if (entry.firstWord !== undefined) getOrCreate(found, entry.firstWord, () => []).push(entry);
  entriesCache.set(entries, found);
  return found;
}

function isCovered(command: LineCommand, entries: readonly CommandEntry[]): Truth {
  if (command.assignments.length > 0 || command.redirectsOut) return false;
  // Files that are only read, by a group of commands or by none.
  if (command.firstWord === undefined && command.argv.length === 0) return true;
  return isMatched(command, entries, isHarmlessPart);
}

/** Whether an entry stands for a command, whatever is set for it and whichever files it is told to write. */
export function isNamed(command: LineCommand, entries: readonly CommandEntry[]): Truth {
  return isMatched(command, entries, isShownPart);
}

/** Whether a further argument is fine. */
type AcceptsPart = (part: ArgumentPart) => boolean;

function isMatched(command: LineCommand, entries: readonly CommandEntry[], accepts: AcceptsPart): Truth {
  if (command.name === undefined) return unknownBecause('the name of a command is not literal');
  let doubt: Unknown | undefined;
  for (const cover of candidatesFor(command, entries)) {
    const covered = matchesEntry(command, cover, accepts);
    if (covered === true) return true;
    if (covered !== false) doubt ??= covered;
  }
  return doubt ?? false;
}

function matchesEntry(command: LineCommand, cover: LineCommand, accepts: AcceptsPart): Truth {
  if (cover.via.length > 0 && !sameNames(command.via, cover.via)) return false;
  const { argv, parsedArguments: read } = command;
  if (argv.length < cover.argv.length || !startsWith(argv, cover.argv)) return false;
  if (read === undefined || cover.parsedArguments === undefined)
    return argv.length === cover.argv.length && !command.more;
  if (!isHarmless([read, cover.parsedArguments], command.program, accepts)) return false;
  if (command.readsCodeFromPipe) return unknownBecause('it reads its code from a pipe');
  // Word for word, it is what the entry says, as for a program that is not listed.
  const isExact = argv.length === cover.argv.length && !command.more;
  return read.unsure === undefined || read.safe || isExact ? true : unknownBecause(read.unsure);
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

function startsWith(argv: LineCommand['argv'], words: LineCommand['argv']): boolean {
  return words.every((word, index) => {
    const other = argv[index];
    return word.type === 'literal' && other?.type === 'literal' && other.value === word.value;
  });
}

/** What the entry itself says is as it should be; everything beyond has to be harmless. */
function isHarmless(
  [read, cover]: readonly [ParsedArguments, ParsedArguments],
  program: Program | undefined,
  accepts: AcceptsPart,
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
  if (part.type === 'option' && part.writesOperands === true) return true;
  return (part.type === 'option' || part.type === 'operand') && (part.harmless || part.role === 'writes');
}

/** Of a program that no option makes do harm, an option that nobody knows is only text: `echo ---`. */
function isUnlisted(part: ArgumentPart, { safe }: ParsedArguments, program: Program | undefined): boolean {
  return safe && part.type === 'option' && program?.usage.options.has(part.name) === false;
}

function isSamePart(part: ArgumentPart, wanted: ArgumentPart): boolean {
  if (part.type === 'subcommand') return wanted.type === 'subcommand' && part.name === wanted.name;
  if (part.type === 'option') return wanted.type === 'option' && part.name === wanted.name && part.role === wanted.role;
  return part.type === wanted.type;
}
