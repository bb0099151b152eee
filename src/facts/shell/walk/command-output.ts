/** What a command certainly writes to a pipe, for a shell that reads it. */

import type { AndOr, Command, CompoundList, ParsedScript, PipelineNode } from 'unbash';
import type { LineCommand } from '../commands/line-command.ts';
import { unknownInput, type CommandInput, type LineState } from './line-state.ts';
import { lazy } from '../../../kernel/lazy.ts';
import { filtersLines, mayPrintNames, printedNames, type PrintedNames } from '../commands/printed-names.ts';
import type { ShellWord } from '../words/shell-word.ts';
import type { KnownValue } from '../words/known-values.ts';

/** The output of a single command that was just walked, if no name in the line can refer to anything else. */
export function commandOutput(state: LineState, node: PipelineNode | AndOr | CompoundList): CommandInput {
  const command = state.commands.at(-1);
  const isFed = state.lastInput.type === 'names';
  if (command !== undefined && mayPrintNames(command.name, isFed) && isSingleCommand(state, node, command))
    return { type: 'names', printed: lazyPrintedNames(command, state.lastInput) };
  const prints = command?.program?.prints;
  if (node.type !== 'Command' || command === undefined || prints === undefined) return unknownInput;
  // With arguments, it prints those instead of its input.
  if (prints === 'stdin' && node.suffix.some(isArgument)) return unknownInput;
  if (state.definesFunctions || state.unknown !== undefined || opensFiles(node)) return unknownInput;
  const words = command.via.length > 0 ? undefined : literalWords(command.argv);
  if (words === undefined || command.assignments.length > 0) return unknownInput;
  const text = prints === 'stdin' ? copiedInput(state.lastInput, words) : printedWords(prints, words);
  return text === undefined ? unknownInput : { type: 'text', text, piped: true };
}

/** The output of a script that was just walked, if it is a single command or pipeline. */
export function scriptOutput(state: LineState, { commands }: ParsedScript): CommandInput {
  const [statement, ...others] = commands;
  if (statement === undefined || others.length > 0 || statement.background === true) return unknownInput;
  const { command } = statement;
  if (command.type !== 'Pipeline') return commandOutput(state, command);
  const last = command.prefixes.length === 0 ? command.commands.at(-1) : undefined;
  return last === undefined ? unknownInput : commandOutput(state, last);
}

/** The words that bash splits an output into. Undefined if not known. */
export function wordsOfOutput(output: CommandInput): KnownValue | undefined {
  const printed = output.type === 'names' ? output.printed() : undefined;
  if (printed?.nul === false)
    return printed.names.every((choice) => choice.type === 'name' || plainText.test(choice.value))
      ? printed.names.map((choice) => (choice.type === 'name' ? { ...choice, plain: true } : choice))
      : undefined;
  if (output.type !== 'text') return undefined;
  const words = output.text.split(/[ \t\n]+/).filter((word) => word !== '');
  return words.every((word) => plainText.test(word)) ? words.map((value) => ({ type: 'text', value })) : undefined;
}

/** bash does not change such a word. */
const plainText = /^[\w./@%+,:=^-]+$/;

function isSingleCommand(state: LineState, node: PipelineNode | AndOr | CompoundList, command: LineCommand): boolean {
  if (node.type !== 'Command' || command.via.length + command.assignments.length > 0) return false;
  return !state.definesFunctions && state.unknown === undefined && !node.redirects.some(changesOutput);
}

/** The names that a command prints or passes through, computed on first access. */
function lazyPrintedNames(command: LineCommand, input: CommandInput): () => PrintedNames | undefined {
  return lazy(() => {
    const given = input.type === 'names' && filtersLines(command) ? input.printed() : undefined;
    return given?.nul === false ? given : printedNames(command);
  });
}

/** Only standard error may be redirected. */
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

function copiedInput(input: CommandInput, words: readonly string[]): string | undefined {
  return words.length === 0 && input.type === 'text' ? input.text : undefined;
}

function printedWords(prints: string | undefined, words: readonly string[]): string | undefined {
  // Shells disagree about options and backslashes here.
  if (words.length === 0 || words.some((word) => word.startsWith('-') || word.includes('\\'))) {
    return prints === 'format' ? printedFormat(words) : undefined;
  }
  if (prints === 'words') return `${words.join(' ')}\n`;
  return prints === 'format' ? printedFormat(words) : undefined;
}

function printedFormat(words: readonly string[]): string | undefined {
  const [format, value] = words;
  if (format === undefined || format.startsWith('-')) return undefined;
  if (words.length === 1) return /[\\%]/.test(format) ? undefined : format;
  if (words.length > 2) return undefined;
  if (format === '%s') return value;
  return format === '%s\\n' ? `${value}\n` : undefined;
}
