/** What a command surely writes into a pipe, for a shell that reads it. */

import type { AndOr, Command, CompoundList, PipelineNode } from 'unbash';
import { givenInput, type Input, type LineState } from './line-state.ts';
import type { ShellWord } from './shell-word.ts';

/** Only a lone command that was just walked, and only if no name in the line can mean anything else. */
export function printedText(state: LineState, node: PipelineNode | AndOr | CompoundList): Input {
  const command = state.commands.at(-1);
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
