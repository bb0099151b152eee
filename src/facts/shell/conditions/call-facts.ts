/**
 * Facts about the commands of a call: for a text, or for the arguments that a tool declares as bash commands (X02 to
 * X07, X11).
 */

import { findDeclaredArguments, plainName, argumentPathText } from '../../declared-arguments.ts';
import type { ToolCall } from '../../../kernel/call.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { allTrue, anyTrue, unknownBecause, type Fact, type Truth, type Unknown } from '../../truth.ts';
import { analyseLine } from '../analysis/analyse-command.ts';
import { parseEntry, type CommandEntry } from './command-entry.ts';
import { runsCommand } from './runs-command.ts';
import { runsListedCommands, runsOnlyCommands, isNamed } from './runs-only-commands.ts';
import type { CommandAnalysis } from '../commands/command-analysis.ts';
import type { LineAnalysis } from '../analysis/line-analysis.ts';
import type { LineCommand } from '../commands/line-command.ts';
import { isSourceAssignment, isHarmlessAssignment } from '../words/variable-effects.ts';

/** Whether a line runs any of these commands. */
export function lineRuns(text: string, entries: readonly string[]): Truth {
  return runsAny(entries)(text);
}

/** Whether a line runs only these commands. */
export function lineRunsOnly(text: string, entries: readonly string[]): Truth {
  return runsNothingBut(entries)(text);
}

/** Whether a line hides what it does. Commands listed in `entries` are trusted. */
export function isLineOpaque(text: string, entries: readonly string[] = none): Truth {
  return entries.length === 0 ? isOpaque(analyseLine(text)) : opaqueExcept(entries)(text);
}

/** Whether the call runs any of these commands. Throws immediately if an entry is not made of literal words. */
export function runsFact(entries: readonly string[]): Fact {
  const decide = runsAny(entries);
  return (call, tool) => checkLines(call, tool, { decide, combine: anyTrue });
}

/** Whether the call runs something, and only these commands. */
export function runsOnlyFact(entries: readonly string[]): Fact {
  const decide = runsNothingBut(entries);
  return (call, tool) => checkLines(call, tool, { decide, combine: allTrue });
}

/** Like {@link runsOnlyFact}, for lines that may set variables that do not change what their commands do. */
export function runsListedFact(entries: readonly string[]): Fact {
  const allowed = entries.map(parseEntry);
  const decide = (text: string): Truth => runsListedCommands(analyseLine(text), allowed);
  return (call, tool) => checkLines(call, tool, { decide, combine: allTrue });
}

/** Whether the call hides what it does. Commands listed in `entries` are trusted. */
export function opaqueFact(entries: readonly string[] = none): Fact {
  const decide = entries.length === 0 ? (text: string) => isOpaque(analyseLine(text)) : opaqueExcept(entries);
  return (call, tool) => checkLines(call, tool, { decide, combine: anyTrue });
}

const none: readonly string[] = [];

function opaqueExcept(entries: readonly string[]): (text: string) => Truth {
  const trusted = entries.map(parseEntry);
  return (text) => isOpaqueExcept(analyseLine(text), trusted);
}

function runsAny(entries: readonly string[]): (text: string) => Truth {
  const wanted = entries.map(parseEntry);
  return (text) => {
    const analysis = analyseLine(text);
    let doubt: Truth = false;
    for (const entry of wanted) {
      const truth = runsCommand(analysis, entry);
      if (truth === true) return true;
      if (doubt === false) doubt = truth;
    }
    return doubt;
  };
}

function runsNothingBut(entries: readonly string[]): (text: string) => Truth {
  const allowed = entries.map(parseEntry);
  return (text) => runsOnlyCommands(analyseLine(text), allowed);
}

interface LineQuestion {
  readonly decide: (text: string) => Truth;
  readonly combine: (truths: Iterable<Truth>) => Truth;
}

/** False for a call without a bash line. Unknown if the tool has side effects but declares nothing that it touches. */
function checkLines(call: ToolCall, tool: ToolDeclaration, { decide, combine }: LineQuestion): Truth {
  const { bash, others, only } = commandsOf(tool);
  const line = only === undefined ? undefined : singleLineOf(call.args, only);
  if (line !== undefined) return decide(line);
  const lines = findDeclaredArguments(call.args, bash).map(({ at, value, problem }) => {
    if (problem !== undefined) return unknownBecause(`${argumentPathText(at)} ${problem}`);
    return typeof value === 'string' ? decide(value) : unknownBecause(`${argumentPathText(at)} is not a string`);
  });
  for (const { at } of findDeclaredArguments(call.args, others)) {
    lines.push(unknownBecause(`${argumentPathText(at)} is not declared as a bash command`));
  }
  if (lines.length > 0) return combine(lines);
  const isDeclared =
    tool.tier === 'observe' || tool.touches !== undefined || tool.paths !== undefined || tool.commands !== undefined;
  return isDeclared ? false : unknownBecause(`the tool ${JSON.stringify(tool.name)} does not declare what it runs`);
}

interface DeclaredCommands {
  readonly bash: readonly string[];
  /** Commands that are not run by bash. */
  readonly others: readonly string[];
  /** Set if exactly one argument is declared and its name is plain. */
  readonly only: string | undefined;
}

const declaredCommands = new WeakMap<ToolDeclaration, DeclaredCommands>();

function commandsOf(tool: ToolDeclaration): DeclaredCommands {
  const known = declaredCommands.get(tool);
  if (known !== undefined) return known;
  const bash = tool.touches?.bash ?? [];
  const covered = new Set(bash.map(plainName));
  const others = (tool.commands ?? []).filter((name) => !covered.has(plainName(name)));
  const [first] = bash;
  const alone = first !== undefined && bash.length === 1 && others.length === 0 && /^\w+$/.test(first);
  const found = { bash, others, only: alone ? first : undefined };
  // A declaration that can still change is not cached.
  if (Object.isFrozen(tool)) declaredCommands.set(tool, found);
  return found;
}

/** Fast path for the usual call. Undefined: use the slow path. */
function singleLineOf(args: JsonObject, name: string): string | undefined {
  const line = Object.hasOwn(args, name) ? args[name] : undefined;
  if (typeof line !== 'string') return undefined;
  // Such a key may name the same argument a second time.
  return Object.keys(args).some((key) => key.includes('[]')) ? undefined : line;
}

function isOpaque(analysis: CommandAnalysis): Truth {
  if (analysis.opaque !== undefined) return true;
  return analysis.unknown === undefined ? false : unknownBecause(analysis.unknown);
}

/**
 * Wrappers that start a program unchanged: they only set its time limit, priority, buffering, or variables that the
 * line shows.
 */
const plainWrappers: ReadonlySet<string> = new Set(['env', 'nice', 'nohup', 'stdbuf', 'time', 'timeout']);

/** Like `isOpaque`, but trusts the commands that the entries name. True if anything else hides its work. */
function isOpaqueExcept(analysis: LineAnalysis, entries: readonly CommandEntry[]): Truth {
  if (analysis.opaque === undefined) return isOpaque(analysis);
  if (analysis.opaqueOutsideCommands !== undefined || analysis.projectVariable !== undefined) return true;
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknownBecause(analysis.unknown);
  const wrappers = new Set<string>();
  for (const command of analysis.commands) {
    if (!command.hidesWork) {
      // It may run sources of the project, and no entry allows that.
      if (command.assignments.some(isSourceAssignment)) return true;
      continue;
    }
    for (const name of command.via) wrappers.add(name);
    const named = command.assignments.every(isHarmlessAssignment) && isNamed(command, entries);
    if (named === false) return true;
    if (named !== true) doubt ??= named;
  }
  for (const command of analysis.commands) {
    if (!choosesProgram(command, wrappers)) continue;
    const named = isNamed(command, entries);
    if (named === false) return true;
    if (named !== true) doubt ??= named;
  }
  return doubt ?? false;
}

/** True if the wrapper may decide which program a name refers to: `npx --package=x vitest`. */
function choosesProgram({ name, hidesWork }: LineCommand, wrappers: ReadonlySet<string>): boolean {
  return !hidesWork && name !== undefined && wrappers.has(name) && !plainWrappers.has(name);
}
