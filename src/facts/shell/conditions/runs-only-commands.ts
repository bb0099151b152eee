/** Whether a line runs only commands that the entries name (X03, X06). */

import { getOrCreate } from '../../../kernel/lazy.ts';
import { unknownBecause, type Truth, type Unknown } from '../../truth.ts';
import type { CommandEntry } from './command-entry.ts';
import { isHarmlessOrLocal, isSourceAssignment } from '../words/variable-effects.ts';
import type { LineAnalysis } from '../analysis/line-analysis.ts';
import type { LineCommand } from '../commands/line-command.ts';
import type { ArgumentPart, Program, ParsedArguments } from '../usage/program.ts';

/** False if a command is not covered. Unknown if all known commands are covered but something is unknown. */
export function runsOnlyCommands(analysis: LineAnalysis, entries: readonly CommandEntry[]): Truth {
  if (analysis.environmentVariable !== undefined) return false;
  return everyCommand(analysis, (command) => isCovered(command, entries));
}

/** The same for a line that may set variables that do not change what its commands do. */
export function runsListedCommands(analysis: LineAnalysis, entries: readonly CommandEntry[]): Truth {
  if (analysis.projectVariable !== undefined) return false;
  return everyCommand(analysis, (command) => isListed(command, entries));
}

function everyCommand(analysis: LineAnalysis, check: (command: LineCommand) => Truth): Truth {
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknownBecause(analysis.unknown);
  for (const command of analysis.commands) {
    // A function with the name of a program is not that program.
    if (command.program !== undefined && analysis.definedFunctions?.has(command.firstWord ?? '') === true) return false;
    const covered = check(command);
    if (covered === false) return false;
    if (covered !== true) doubt ??= covered;
  }
  return doubt ?? true;
}

const none: readonly LineCommand[] = [];

/** An entry covers its own command, and the commands it starts if they are started the same way. */
function isEntryCommand(command: LineCommand, index: number): boolean {
  return index === 0 || command.via.length > 0;
}

const commandsCache = new WeakMap<readonly CommandEntry[], ReadonlyMap<string, readonly LineCommand[]>>();

/** Covered commands by first word. */
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

/** Candidates that may cover a command. If no wrapper started it, only commands that an entry names itself. */
function candidatesFor({ firstWord, via }: LineCommand, entries: readonly CommandEntry[]): readonly LineCommand[] {
  if (firstWord === undefined) return none;
  if (via.length > 0) return commandsByFirstWord(entries).get(firstWord) ?? none;
  return (
    entriesByWord(entries)
      .get(firstWord)
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
  return command.assignments.length === 0 && isCoveredCommand(command, entries);
}

function isCoveredCommand(command: LineCommand, entries: readonly CommandEntry[]): Truth {
  if (command.redirectsOut) return false;
  // Files that are only read, by a group of commands or without one.
  if (command.firstWord === undefined && command.argv.length === 0) return true;
  return isMatched(command, entries, isHarmlessPart);
}

function isListed(command: LineCommand, entries: readonly CommandEntry[]): Truth {
  const { assignments, hidesWork } = command;
  // A program that is not the project's own may load sources of the project.
  const isFine = (text: string): boolean => isHarmlessOrLocal(text) && (hidesWork || !isSourceAssignment(text));
  return assignments.every(isFine) && isCoveredCommand(command, entries);
}

/** Whether an entry names a command, regardless of its variables and of the files it writes. */
export function isNamed(command: LineCommand, entries: readonly CommandEntry[]): Truth {
  return isMatched(command, entries, isShownPart);
}

/** Decides whether an additional argument is acceptable. */
type AcceptsPart = (part: ArgumentPart) => boolean;

function isMatched(command: LineCommand, entries: readonly CommandEntry[], accepts: AcceptsPart): Truth {
  if (command.name === undefined) return unknownBecause('a command name is not literal');
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
  const { argv, parsed } = command;
  if (argv.length < cover.argv.length || !startsWith(argv, cover.argv)) return false;
  if (parsed === undefined || cover.parsed === undefined) return argv.length === cover.argv.length && !command.more;
  if (!isHarmless([parsed, cover.parsed], command.program, accepts)) return false;
  if (command.readsCodeFromPipe) return unknownBecause('a command reads its code from a pipe');
  // The same words as the entry, so it is covered like an unlisted program.
  const isExact = argv.length === cover.argv.length && !command.more;
  return parsed.unsure === undefined || parsed.safe || isExact ? true : unknownBecause(parsed.unsure);
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

/** The arguments of the entry are accepted. All others must be harmless. */
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

/** Facts about files cover what is written there. */
function isShownPart(part: ArgumentPart): boolean {
  if (part.type === 'option' && part.writesOperands === true) return true;
  return (part.type === 'option' || part.type === 'operand') && (part.harmless || part.role === 'writes');
}

/** In a program without harmful options, an unknown option is only text: `echo ---`. */
function isUnlisted(part: ArgumentPart, { safe }: ParsedArguments, program: Program | undefined): boolean {
  return safe && part.type === 'option' && program?.usage.options.has(part.name) === false;
}

function isSamePart(part: ArgumentPart, wanted: ArgumentPart): boolean {
  if (part.type === 'subcommand') return wanted.type === 'subcommand' && part.name === wanted.name;
  if (part.type === 'option') return wanted.type === 'option' && part.name === wanted.name && part.role === wanted.role;
  return part.type === wanted.type;
}
