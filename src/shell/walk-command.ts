/** Walks a simple command: what it assigns, its words, its redirections. */

import type { Assignment, Command, Word } from 'unbash';
import { assign } from './assign.ts';
import { bareCircumstances, FoundCommand, wordsOf } from './found-command.ts';
import type { Input, LineState } from './line-state.ts';
import { readRedirects } from './read-redirects.ts';
import { isPlain, readSingleWord } from './read-word.ts';
import type { ShellWord } from './shell-word.ts';
import { programNamed, programOf, startCommand } from './start-command.ts';
import { evaluateText, walkEvaluated, walkWord } from './walk-parts.ts';

export function walkCommand(state: LineState, node: Command, input: Input): void {
  const assignments = node.prefix.length === 0 ? none : walkPrefix(state, node);
  const { name } = node;
  const plain = name !== undefined && isPlain(name.text);
  if (name !== undefined && !plain) walkWord(state, name);
  const redirected = walkSuffix(state, node) || node.prefix.length > assignments.length;
  if (plain && !redirected && assignments.length === 0) {
    const program = programNamed(name.text.slice(name.text.lastIndexOf('/') + 1));
    return begin(state, new FoundCommand(node, program, bareCircumstances), input);
  }
  const { files, out, input: redirectedInput } = readRedirects(state, node.redirects);
  const words = wordsOf(node);
  if (words.length === 0 && assignments.length === 0 && files.length === 0) return;
  const how = { ...bareCircumstances, assignments, redirects: files, redirectsOut: out };
  begin(state, new FoundCommand(words, programOf(words[0]), how), redirectedInput ?? input);
}

const none: readonly string[] = [];

function begin(state: LineState, command: FoundCommand, input: Input): void {
  startCommand(state, command, input);
  state.lastInput = input;
}

function walkPrefix(state: LineState, node: Command): readonly string[] {
  const assignments: string[] = [];
  for (const item of node.prefix) {
    if (item.type !== 'Assignment') continue;
    assignments.push(item.text);
    walkAssignment(state, item, node.name !== undefined);
  }
  return assignments;
}

/** Walks the words; true if there are redirections. */
function walkSuffix(state: LineState, node: Command): boolean {
  let redirected = false;
  for (const item of node.suffix) {
    if (item.type === 'Word') {
      if (!isPlain(item.text)) walkWord(state, item);
    } else if (item.type === 'Assignment') walkAssignment(state, item, false);
    else redirected = true;
  }
  return redirected;
}

function walkAssignment(state: LineState, node: Assignment, passed: boolean): void {
  const { name, value, index } = node;
  if (index !== undefined) walkEvaluated(state, index);
  if (value.type === 'Word') {
    walkWord(state, value);
    // A list with text after it, which bash and the parser read differently.
    if (value.text.startsWith('(')) state.doubt('an assignment cannot be read');
    if (passed) keepValue(state, readSingleWord(value));
  } else for (const element of value.elements) walkElement(state, element);
  assign(state, name, value);
}

/** Only what the line shows of a value can name a command. */
function keepValue(state: LineState, value: ShellWord): void {
  (state.values ??= []).push(...(value.type === 'literal' ? [value.value] : value.pieces));
}

/** `[subscript]=value` in a list. */
function walkElement(state: LineState, element: Word): void {
  walkWord(state, element);
  const { text } = element;
  if (!text.startsWith('[')) return;
  const subscript = /^\[([^\]]*)\]\+?=/.exec(text)?.[1];
  if (subscript !== undefined) evaluateText(state, subscript);
  else if (/\]\+?=/.test(text)) state.doubt('a subscript cannot be read');
}
