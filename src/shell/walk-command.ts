/** Walks a simple command: what it assigns, its words, its redirections. */

import type { Assignment, Command, Word } from 'unbash';
import { append, assign } from './assign.ts';
import { bareCircumstances, FoundCommand, wordsOf } from './found-command.ts';
import type { Input, LineState } from './line-state.ts';
import { isPlain } from './plain-word.ts';
import { noRedirects, readRedirects } from './read-redirects.ts';
import { readSingleWord } from './read-word.ts';
import type { ShellWord } from './shell-word.ts';
import { joinValues, valueOfWords, type ShownValue } from './shown-values.ts';
import { programNamed, programOf, startCommand } from './start-command.ts';
import { evaluateText, walkEvaluated, walkWord } from './walk-parts.ts';

export function walkCommand(state: LineState, node: Command, input: Input): void {
  const assignments = node.prefix.length === 0 ? none : walkPrefix(state, node);
  const { name } = node;
  const plain = name !== undefined && isPlain(name.text);
  if (node.prefix.length > 0 && name !== undefined) checkPrefix(state, node, name);
  if (name !== undefined && !plain) walkWord(state, name);
  const seen = walkSuffix(state, node);
  const redirected = (seen & redirects) !== 0 || node.prefix.length > assignments.length;
  if (plain && !redirected && assignments.length === 0) {
    const command = new FoundCommand(node, programNamed(baseOf(name.text)), bareCircumstances);
    command.plain = seen === 0;
    command.values = state.shown.now;
    begin(state, command, input);
    if (name.text === 'exit' && endsShell(state, node)) state.exit();
    return;
  }
  const { files, out, input: redirectedInput } = redirected ? readRedirects(state, node.redirects) : noRedirects;
  const how = { ...bareCircumstances, assignments, redirects: files, redirectsOut: out };
  const { now } = state.shown;
  if (plain) {
    const command = new FoundCommand(node, programNamed(baseOf(name.text)), how);
    command.plain = (seen & quotes) === 0;
    command.values = now;
    begin(state, command, redirectedInput ?? input);
  } else {
    const words = wordsOf(node, now);
    if (words.length === 0 && assignments.length === 0 && files.length === 0) return;
    begin(state, new FoundCommand(words, programOf(words[0]), how), redirectedInput ?? input);
  }
  // If a file cannot be opened, nothing is exported.
  state.shown.keep(joinValues(now, state.shown.now));
}

function baseOf(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1);
}

/** `exit`, `exit 1`, `exit $?`: nothing that could fail instead. */
function endsShell({ defined }: LineState, { suffix }: Command): boolean {
  const [status] = suffix;
  if (defined?.has('exit') === true || suffix.length > 1) return false;
  return status === undefined || (status.type === 'Word' && /^(?:\d+|"?\$\?"?)$/.test(status.text));
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
    walkAssignment(state, item, node.name === undefined ? 'kept' : 'passed');
  }
  return assignments;
}

/** Among the words: something else than plain words, redirections. */
const quotes = 1;
const redirects = 2;

/** Walks the words, and tells what is among them. */
function walkSuffix(state: LineState, { name, prefix, suffix }: Command): number {
  let seen = 0;
  let before: Item | undefined = name ?? prefix[prefix.length - 1];
  for (const item of suffix) {
    if (before !== undefined && item.pos === before.end) checkJoined(state, before, item);
    before = item;
    if (item.type === 'Word') {
      if (isPlain(item.text)) continue;
      seen |= quotes;
      walkWord(state, item);
    } else if (item.type === 'Assignment') {
      seen |= quotes;
      walkAssignment(state, item, 'declared');
    } else seen |= redirects;
  }
  return seen;
}

type Item = Command['prefix' | 'suffix'][number];

/** `a<(b)c` is one word to bash; the parser makes three of it. */
function checkJoined(state: LineState, before: Item, item: Item): void {
  if ([before, item].some(isPipe)) state.doubt('a process substitution is part of a longer word');
}

function checkPrefix(state: LineState, { prefix }: Command, name: Word): void {
  const last = prefix.at(-1);
  if (last?.end === name.pos) checkJoined(state, last, name);
}

function isPipe(item: Item): boolean {
  const word = item.type === 'Assignment' ? item.value : item.type === 'Word' ? item : undefined;
  const target = item.type === 'Redirect' || item.type === 'HereString' ? item.target : undefined;
  const last = word?.type === 'ArrayValue' ? undefined : (word ?? target)?.parts?.at(-1);
  return last?.type === 'ProcessSubstitution';
}

/** `kept`: by the shell. `passed`: to one command. `declared`: as a word of `export`, which does it. */
type Assigned = 'kept' | 'passed' | 'declared';

function walkAssignment(state: LineState, node: Assignment, how: Assigned): void {
  const { name, value, index } = node;
  if (index !== undefined) walkEvaluated(state, index);
  if (value.type === 'Word') {
    walkWord(state, value);
    // A list with text after it, which bash and the parser read differently.
    if (value.text.startsWith('(')) state.doubt('an assignment cannot be read');
    if (how === 'passed') keepValue(state, readSingleWord(value, state.shown.now));
  } else for (const element of value.elements) walkElement(state, element);
  // The words of that command are expanded before.
  if (how === 'passed') return state.passing(() => setName(state, node));
  const shown = node.append === true || index !== undefined ? undefined : shownValue(state, value);
  setName(state, node);
  if (how === 'kept') state.shown.set(name, shown);
}

function setName(state: LineState, { name, value, append: appends }: Assignment): void {
  if (appends === true) append(state, name, value);
  else assign(state, name, value);
}

/** The value of a plain assignment, as far as the line shows it. */
function shownValue(state: LineState, value: Assignment['value']): ShownValue | undefined {
  if (value.type === 'ArrayValue' || state.otherShell) return undefined;
  return valueOfWords([readSingleWord(value, state.shown.now)]);
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
