/** Lists the commands of a line as a rule would name them, if nothing in the line is unknown, hidden or written. */

import { analyseLine } from '../../facts/shell/analysis/analyse-command.ts';
import type { LineAnalysis } from '../../facts/shell/analysis/line-analysis.ts';
import type { LineCommand } from '../../facts/shell/commands/line-command.ts';
import { programTables } from '../../facts/shell/programs/find-program.ts';
import type { Program } from '../../facts/shell/usage/program.ts';
import type { ProgramUsage } from '../../facts/shell/usage/program-usage.ts';

/** No one reads a rule with more commands. */
const maxCommands = 8;
const plainWords = /^[a-z][\w-]*(?: [a-z][\w-]*)*$/;

/**
 * Programs with their subcommands, as `runsOnly` accepts them, sorted and distinct; undefined if no rule can represent
 * the line.
 */
export function commandsOfLine(line: string): readonly string[] | undefined {
  const analysis = analyseLine(line);
  if (!isFullyVisible(analysis)) return undefined;
  const commands = new Set<string>();
  for (const found of analysis.commands) {
    const command = commandNameOf(found);
    if (command === undefined) return undefined;
    commands.add(command);
  }
  return commands.size === 0 || commands.size > maxCommands ? undefined : [...commands].toSorted();
}

/** True if everything in the line is known and visible, and no file is written. */
function isFullyVisible({ unknown, opaque, filesUnknown, files }: LineAnalysis): boolean {
  if (unknown !== undefined || opaque !== undefined || filesUnknown !== undefined) return false;
  return files.every(({ mode, path }) => mode === 'read' || (mode === 'write' && path === '/dev/null'));
}

function commandNameOf(command: LineCommand): string | undefined {
  const { program, parsed, firstWord = '', via, more } = command;
  if (program === undefined || parsed === undefined || via.length > 0 || more) return undefined;
  if (!worksOnFiles(program, firstWord)) return undefined;
  const names = parsed.parts.filter(({ type }) => type === 'subcommand').length;
  const words = literalWords(command, names + 1);
  const usage = usageAt(program.usage, words.slice(1));
  if (usage === undefined || !onlyReads(usage)) return undefined;
  // A program that needs a subcommand would be too general on its own.
  if (names === 0 && usage.findSubcommand !== undefined) return undefined;
  const text = words.join(' ');
  return words.length === names + 1 && plainWords.test(text) ? text : undefined;
}

function literalWords({ argv }: LineCommand, count: number): readonly string[] {
  return argv.slice(0, count).flatMap((word) => (word.type === 'literal' ? [word.value] : []));
}

/** The usage of a subcommand; undefined if it does not exist. */
function usageAt(usage: ProgramUsage, names: readonly string[]): ProgramUsage | undefined {
  let at: ProgramUsage | undefined = usage;
  for (const name of names) at = at?.findSubcommand?.(name)?.usage;
  return at;
}

/** Programs of other groups access machines and services, which a folder does not limit. */
const themes = ['files', 'git', 'search', 'text'] as const;
/** Most other bash builtins affect the commands that follow. */
const harmlessBuiltins: ReadonlySet<string> = new Set(['echo', 'printf', 'pwd', 'true', 'false', 'type']);

/** These look up names that are not paths: manual pages, addresses, anything on the machine. */
const lookupPrograms: ReadonlySet<string> = new Set(['man', 'whatis', 'info', 'tldr', 'locate', 'xmllint']);

/** True if a program only works on files or prints its arguments. */
function worksOnFiles({ names }: Program, name: string): boolean {
  const key = names.join(', ');
  if (names.some((each) => lookupPrograms.has(each))) return false;
  if (Object.hasOwn(programTables.builtins, key)) return harmlessBuiltins.has(name);
  return themes.some((theme) => Object.hasOwn(programTables[theme], key));
}

/**
 * True if none of the program's usual arguments does harm. False for shells, interpreters and wrappers, which run other
 * programs, and for programs that change files: a rule for them would cover more than the person has seen.
 */
function onlyReads({ operands, stdin, words, implied, with: overlays }: ProgramUsage): boolean {
  if (stdin !== 'data' || Array.from(words).some((word) => word !== 'safe' && word !== 'repository')) return false;
  if (implied.some((kind) => kind !== 'reads')) return false;
  const given = [...operands, ...Array.from(overlays.values()).flatMap((overlay) => overlay.operands)];
  // Formatters write their operands, and `git add` stores them.
  const isRead = ({ role, reach }: (typeof given)[number]): boolean => role !== 'writes' && reach !== 'unignored';
  return given.every((operand) => operand.harmless && operand.of === undefined && isRead(operand));
}
