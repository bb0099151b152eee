/** Facts about the commands of a call: of a text, or of the arguments its tool declares to be run by bash (X02 to X07, X11). */

import { findDeclaredArguments, plainName, argumentPathText } from '../../declared-arguments.ts';
import type { ToolCall } from '../../../kernel/call.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { allTrue, anyTrue, unknownBecause, type Fact, type Truth } from '../../../kernel/policy/conditions/truth.ts';
import { analyseLine } from '../analysis/analyse-command.ts';
import { parseEntry } from './command-entry.ts';
import { isOpaque, isOpaqueExcept } from './is-opaque.ts';
import { runsCommand } from './runs-command.ts';
import { runsOnlyCommands } from './runs-only-commands.ts';

/** Whether a line runs any of these commands. */
export function runsText(text: string, entries: readonly string[]): Truth {
  return runsAny(entries)(text);
}

/** Whether a line runs nothing but these commands. */
export function runsOnlyText(text: string, entries: readonly string[]): Truth {
  return runsNothingBut(entries)(text);
}

/** Whether a line leaves open what is done, by anything but these commands. */
export function opaqueText(text: string, entries: readonly string[] = none): Truth {
  return entries.length === 0 ? isOpaque(analyseLine(text)) : opaqueExcept(entries)(text);
}

/** Whether the call runs any of these commands; an entry that is not literal words is an error at once. */
export function runsFact(entries: readonly string[]): Fact {
  const about = runsAny(entries);
  return (call, tool) => checkLines(call, tool, { decide: about, combine: anyTrue });
}

/** Whether the call runs something, and nothing but these commands. */
export function runsOnlyFact(entries: readonly string[]): Fact {
  const about = runsNothingBut(entries);
  return (call, tool) => checkLines(call, tool, { decide: about, combine: allTrue });
}

/** Whether the call leaves open what is done, by anything but these commands. */
export function opaqueFact(entries: readonly string[] = none): Fact {
  const about = entries.length === 0 ? (text: string) => isOpaque(analyseLine(text)) : opaqueExcept(entries);
  return (call, tool) => checkLines(call, tool, { decide: about, combine: anyTrue });
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

/** No of a call without a line for bash; unknown if its tool has side effects and tells nothing of what it touches. */
function checkLines(call: ToolCall, tool: ToolDeclaration, { decide: about, combine }: LineQuestion): Truth {
  const { bash, others, only } = commandsOf(tool);
  const line = only === undefined ? undefined : singleLineOf(call.args, only);
  if (line !== undefined) return about(line);
  const lines = findDeclaredArguments(call.args, bash).map(({ at, value, problem }) => {
    if (problem !== undefined) return unknownBecause(`${argumentPathText(at)} ${problem}`);
    return typeof value === 'string' ? about(value) : unknownBecause(`${argumentPathText(at)} is not text`);
  });
  for (const { at } of findDeclaredArguments(call.args, others)) {
    lines.push(unknownBecause(`${argumentPathText(at)} is not declared to be run by bash`));
  }
  if (lines.length > 0) return combine(lines);
  const isDeclared =
    tool.tier === 'observe' || tool.touches !== undefined || tool.paths !== undefined || tool.commands !== undefined;
  return isDeclared ? false : unknownBecause(`nobody tells what ${JSON.stringify(tool.name)} runs`);
}

interface DeclaredCommands {
  readonly bash: readonly string[];
  /** Commands that something else runs. */
  readonly others: readonly string[];
  /** Set if there is but one argument, with a plain name. */
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
  // A declaration that may still change is read anew each time.
  if (Object.isFrozen(tool)) declaredCommands.set(tool, found);
  return found;
}

/** The short way for the usual call; undefined leaves it to the long one. */
function singleLineOf(args: JsonObject, name: string): string | undefined {
  const line = Object.hasOwn(args, name) ? args[name] : undefined;
  if (typeof line !== 'string') return undefined;
  // Such a key would name the same argument once more.
  return Object.keys(args).some((key) => key.includes('[]')) ? undefined : line;
}
