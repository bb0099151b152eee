/** What a command surely writes into a pipe, for a shell that reads it. */

import type { AndOr, Command, CompoundList, ParsedScript, PipelineNode } from 'unbash';
import type { FoundCommand } from './found-command.ts';
import { givenInput, type Input, type LineState } from './line-state.ts';
import { lazy } from '../lazy.ts';
import { letsThrough, mayPrintNames, printedNames, type PrintedNames } from './printed-names.ts';
import type { ShellWord } from './shell-word.ts';
import type { ShownValue } from './shown-values.ts';

/** Only a lone command that was just walked, and only if no name in the line can mean anything else. */
export function printedText(state: LineState, node: PipelineNode | AndOr | CompoundList): Input {
  const command = state.commands.at(-1);
  const isFed = state.lastInput.type === 'names';
  if (command !== undefined && mayPrintNames(command.name, isFed) && isLone(state, node, command))
    return { type: 'names', printed: namesPrinted(command, state.lastInput) };
  const prints = command?.program?.prints;
  if (node.type !== 'Command' || command === undefined || prints === undefined) return givenInput;
  // What is given words prints its own.
  if (prints === 'stdin' && node.suffix.some(isArgument)) return givenInput;
  if (state.definesFunctions || state.unknown !== undefined || opensFiles(node)) return givenInput;
  const words = command.via.length > 0 ? undefined : literalWords(command.argv);
  if (words === undefined || command.assignments.length > 0) return givenInput;
  const text = prints === 'stdin' ? copied(state.lastInput, words) : printed(prints, words);
  return text === undefined ? givenInput : { type: 'text', text, piped: true };
}

/** What a script prints that was just walked, if it is a lone command or pipeline. */
export function printedByScript(state: LineState, { commands }: ParsedScript): Input {
  const [statement, ...others] = commands;
  if (statement === undefined || others.length > 0 || statement.background === true) return givenInput;
  const { command } = statement;
  if (command.type !== 'Pipeline') return printedText(state, command);
  const last = command.prefixes.length === 0 ? command.commands.at(-1) : undefined;
  return last === undefined ? givenInput : printedText(state, last);
}

/** The words that bash splits an output into, where they are known. */
export function valueOfOutput(output: Input): ShownValue | undefined {
  const printed = output.type === 'names' ? output.printed() : undefined;
  if (printed?.nul === false)
    return printed.value.every((choice) => choice.type === 'name' || plainText.test(choice.value))
      ? printed.value.map((choice) => (choice.type === 'name' ? { ...choice, plain: true } : choice))
      : undefined;
  if (output.type !== 'text') return undefined;
  const words = output.text.split(/[ \t\n]+/).filter((word) => word !== '');
  return words.every((word) => plainText.test(word)) ? words.map((value) => ({ type: 'text', value })) : undefined;
}

/** Bash makes nothing else of such a word. */
const plainText = /^[\w./@%+,:=^-]+$/;

function isLone(state: LineState, node: PipelineNode | AndOr | CompoundList, command: FoundCommand): boolean {
  if (node.type !== 'Command' || command.via.length + command.assignments.length > 0) return false;
  return !state.definesFunctions && state.unknown === undefined && !node.redirects.some(changesOutput);
}

/** Names that a command prints, or lets through; worked out when they are asked for. */
function namesPrinted(command: FoundCommand, input: Input): () => PrintedNames | undefined {
  return lazy(() => {
    const given = input.type === 'names' && letsThrough(command) ? input.printed() : undefined;
    return given?.nul === false ? given : printedNames(command);
  });
}

/** Only errors may go elsewhere. */
function changesOutput(redirect: Command['redirects'][number]): boolean {
  const { descriptor, operator } = redirect;
  return descriptor?.type !== 'FileDescriptor' || descriptor.value !== 2 || !/^>>?$/.test(operator);
}

function isArgument({ type }: Command['suffix'][number]): boolean {
  return type === 'Word' || type === 'Assignment';
}

function opensFiles({ redirects }: Command): boolean {
  return redirects.some((redirect) => redirect.type === 'Redirect');
}

function literalWords(argv: readonly ShellWord[]): readonly string[] | undefined {
  const words = argv.slice(1).map((word) => (word.type === 'literal' ? word.value : undefined));
  return words.every((word) => word !== undefined) ? words : undefined;
}

function copied(input: Input, words: readonly string[]): string | undefined {
  return words.length === 0 && input.type === 'text' ? input.text : undefined;
}

function printed(prints: string | undefined, words: readonly string[]): string | undefined {
  // Shells do not agree on what options and backslashes mean here.
  if (words.length === 0 || words.some((word) => word.startsWith('-') || word.includes('\\'))) {
    return prints === 'format' ? formatted(words) : undefined;
  }
  if (prints === 'words') return `${words.join(' ')}\n`;
  return prints === 'format' ? formatted(words) : undefined;
}

function formatted(words: readonly string[]): string | undefined {
  const [format, value] = words;
  if (format === undefined || format.startsWith('-')) return undefined;
  if (words.length === 1) return /[\\%]/.test(format) ? undefined : format;
  if (words.length > 2) return undefined;
  if (format === '%s') return value;
  return format === '%s\\n' ? `${value}\n` : undefined;
}
