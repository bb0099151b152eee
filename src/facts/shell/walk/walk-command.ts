/** Walks a simple command: its assignments, words and redirections. */

import type { Assignment, Command, Word } from 'unbash';
import { appendValue, assign } from './assign-variable.ts';
import { plainStart, LineCommand, wordsOfCommand } from '../commands/line-command.ts';
import type { CommandInput, LineState } from './line-state.ts';
import { isPlain } from '../words/plain-word.ts';
import { noRedirects, readRedirects } from './read-redirects.ts';
import { readSingleWord } from '../words/read-word.ts';
import type { ShellWord } from '../words/shell-word.ts';
import { mergeValues, valueOfWords, type KnownValue } from '../words/known-values.ts';
import { programNamed, programOfWord, startCommand } from './start-command.ts';
import { evaluateArithmetic, walkArithmeticText, walkWord } from './walk-word.ts';

export function walkCommand(state: LineState, node: Command, input: CommandInput): void {
  const assignments = node.prefix.length === 0 ? none : walkPrefix(state, node);
  const { name } = node;
  const plain = name !== undefined && isPlain(name.text);
  if (node.prefix.length > 0 && name !== undefined) checkPrefix(state, node, name);
  if (name !== undefined && !plain) walkWord(state, name);
  const seen = walkSuffix(state, node);
  const redirected = (seen & hasRedirects) !== 0 || node.prefix.length > assignments.length;
  if (plain && !redirected && assignments.length === 0) {
    const command = new LineCommand(node, programNamed(baseOf(name.text)), plainStart);
    command.isPlain = seen === 0;
    command.values = state.variables.current;
    startWithInput(state, command, input);
    if (name.text === 'exit' && endsShell(state, node)) state.exit();
    return;
  }
  const { files, out, input: redirectedInput } = redirected ? readRedirects(state, node.redirects) : noRedirects;
  const how = { ...plainStart, assignments, redirects: files, redirectsOut: out };
  const { current } = state.variables;
  if (plain) {
    const command = new LineCommand(node, programNamed(baseOf(name.text)), how);
    command.isPlain = (seen & hasQuotes) === 0;
    command.values = current;
    startWithInput(state, command, redirectedInput ?? input);
  } else {
    const words = wordsOfCommand(node, current);
    if (words.length === 0 && assignments.length === 0 && files.length === 0) return;
    startWithInput(state, new LineCommand(words, programOfWord(words[0]), how), redirectedInput ?? input);
  }
  // If a file cannot be opened, nothing is exported.
  state.variables.restore(mergeValues(current, state.variables.current));
}

function baseOf(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1);
}

/** `exit`, `exit 1`, `exit $?`: an exit that cannot fail. */
function endsShell({ definedFunctions }: LineState, { suffix }: Command): boolean {
  const [status] = suffix;
  if (definedFunctions?.has('exit') === true || suffix.length > 1) return false;
  return status === undefined || (status.type === 'Word' && /^(?:\d+|"?\$\?"?)$/.test(status.text));
}

const none: readonly string[] = [];

function startWithInput(state: LineState, command: LineCommand, input: CommandInput): void {
  startCommand(state, command, input);
  state.lastInput = input;
}

function walkPrefix(state: LineState, node: Command): readonly string[] {
  const assignments: string[] = [];
  for (const item of node.prefix) {
    if (item.type !== 'Assignment') continue;
    assignments.push(item.text);
    walkAssignment(state, item, node.name === undefined ? 'kept' : 'passed');
  }
  return assignments;
}

/** Bits of the result of `walkSuffix`. */
const hasQuotes = 1;
const hasRedirects = 2;

/** Walks the words. Returns bits for quoted words and redirections. */
function walkSuffix(state: LineState, { name, prefix, suffix }: Command): number {
  let seen = 0;
  let before: CommandItem | undefined = name ?? prefix[prefix.length - 1];
  for (const item of suffix) {
    if (before !== undefined && item.pos === before.end) checkJoinedWords(state, before, item);
    before = item;
    if (item.type === 'Word') {
      if (isPlain(item.text)) continue;
      seen |= hasQuotes;
      walkWord(state, item);
    } else if (item.type === 'Assignment') {
      seen |= hasQuotes;
      walkAssignment(state, item, 'declared');
    } else seen |= hasRedirects;
  }
  return seen;
}

type CommandItem = Command['prefix' | 'suffix'][number];

/** To bash, `a<(b)c` is one word. The parser makes three of it. */
function checkJoinedWords(state: LineState, before: CommandItem, item: CommandItem): void {
  if ([before, item].some(isProcessSubstitution)) state.markUnknown('a process substitution is part of a longer word');
}

function checkPrefix(state: LineState, { prefix }: Command, name: Word): void {
  const last = prefix.at(-1);
  if (last?.end === name.pos) checkJoinedWords(state, last, name);
}

function isProcessSubstitution(item: CommandItem): boolean {
  const word = item.type === 'Assignment' ? item.value : item.type === 'Word' ? item : undefined;
  const target = item.type === 'Redirect' || item.type === 'HereString' ? item.target : undefined;
  const last = word?.type === 'ArrayValue' ? undefined : (word ?? target)?.parts?.at(-1);
  return last?.type === 'ProcessSubstitution';
}

/**
 * `kept`: set in the shell. `passed`: set for one command. `declared`: a word of `export` and similar, which sets it.
 */
type AssignmentScope = 'kept' | 'passed' | 'declared';

function walkAssignment(state: LineState, node: Assignment, how: AssignmentScope): void {
  const { name, value, index } = node;
  if (index !== undefined) walkArithmeticText(state, index);
  if (value.type === 'Word') {
    walkWord(state, value);
    // An array followed by text, which bash and the parser read differently.
    if (value.text.startsWith('(')) state.markUnknown('an assignment cannot be parsed');
    if (how === 'passed') addPassedValue(state, readSingleWord(value, state.variables.current));
  } else for (const element of value.elements) walkElement(state, element);
  // bash expands the words of the command before it sets the variable.
  if (how === 'passed') return state.forOneCommand(() => setAssigned(state, node));
  const shown = node.append === true || index !== undefined ? undefined : knownValueOf(state, value);
  setAssigned(state, node);
  if (how === 'kept') state.variables.set(name, shown);
}

function setAssigned(state: LineState, { name, value, append: appends }: Assignment): void {
  if (appends === true) appendValue(state, name, value);
  else assign(state, name, value);
}

/** The value of a plain assignment, if it is known. */
function knownValueOf(state: LineState, value: Assignment['value']): KnownValue | undefined {
  if (value.type === 'ArrayValue' || state.otherShell) return undefined;
  return valueOfWords([readSingleWord(value, state.variables.current)]);
}

/** Only the visible parts of a value can name a command. */
function addPassedValue(state: LineState, value: ShellWord): void {
  (state.passedValues ??= []).push(...(value.type === 'literal' ? [value.value] : value.knownPieces));
}

/** `[subscript]=value` in an array. */
function walkElement(state: LineState, element: Word): void {
  walkWord(state, element);
  const { text } = element;
  if (!text.startsWith('[')) return;
  const subscript = /^\[([^\]]*)\]\+?=/.exec(text)?.[1];
  if (subscript !== undefined) evaluateArithmetic(state, subscript);
  else if (/\]\+?=/.test(text)) state.markUnknown('an array subscript cannot be parsed');
}
