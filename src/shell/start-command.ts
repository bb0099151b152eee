/** A command with its words: what the table says it starts, sets and runs in turn. */

import { assignUnknown, assignWord, mentionVariable, setVariable } from './assign.ts';
import { findProgram } from './find-program.ts';
import { anyNumber, FoundCommand, type NamedProgram } from './found-command.ts';
import { handedWords } from './handed-words.ts';
import { givenInput, type Input, type LineState } from './line-state.ts';
import { move, workingAt } from './move.ts';
import type { ArgumentPart, OperandPart, OptionPart } from './program.ts';
import { RecentlyUsed } from './recently-used.ts';
import { runCodeIn } from './run-code.ts';
import { usePart } from './settle-code.ts';
import { anything, type ShellWord, shownText } from './shell-word.ts';
import { unsettlingBuiltins } from './shown-values.ts';
import { evaluateText } from './walk-parts.ts';
import { Whereabouts } from './whereabouts.ts';

/** Notes a command, and follows what it does by its arguments. */
export function startCommand(state: LineState, command: FoundCommand, input: Input): void {
  if (state.full()) return;
  command.at = state.at;
  command.since = state.inOrder ? state.commands.length : anyNumber;
  state.commands.push(command);
  const { name, program, path } = command;
  if (path !== undefined && isElsewhere(path))
    state.hide(`${path.text} may be any program: it is called by a path`, command);
  if (name === undefined) nameless(state, command);
  else if (program === undefined) unlisted(state, name, command);
  else if (!program.quiet && state.enter()) {
    if (unsettlingBuiltins.has(name)) state.unsettle(`${name} may set any variable`);
    const seen = command.glance();
    if (seen === 'unseen') follow(state, command, input);
    else if (seen === 'hidden') hideWork(state, command);
    state.leave();
  }
}

/** Finds the program that a word names. */
export function programOf(word: ShellWord | undefined): NamedProgram {
  return programNamed(word === undefined ? undefined : baseName(word));
}

const nobody: NamedProgram = { name: undefined, program: undefined };
const named = new RecentlyUsed<NamedProgram>(1024);

export function programNamed(name: string | undefined): NamedProgram {
  if (name === undefined) return nobody;
  const known = named.get(name);
  if (known !== undefined) return known;
  const found = { name, program: findProgram(name) };
  named.set(name, found);
  return found;
}

const systemPath = /^\/(?:usr\/(?:local\/)?|opt\/homebrew\/)?s?bin\/[^/]+$/;

/** True for a file that is only called like a program: `./ls` is a script of whoever could write it. */
function isElsewhere(word: ShellWord): boolean {
  if (word.type === 'literal') return word.value.includes('/') && !systemPath.test(word.value);
  return word.pieces.some((piece) => piece.includes('/'));
}

function nameless(state: LineState, { argv }: FoundCommand): void {
  const [first] = argv;
  if (first !== undefined) state.doubt(`the name of a command is not literal: ${first.text}`);
}

/** The base name, where the word surely ends with it; a name with a slash is never split off by an expansion. */
function baseName(word: ShellWord): string | undefined {
  if (word.type === 'literal') return word.value.slice(word.value.lastIndexOf('/') + 1);
  const last = word.pieces.at(-1) ?? '';
  const slash = last.lastIndexOf('/');
  return word.splits || slash === -1 ? undefined : last.slice(slash + 1);
}

function unlisted(state: LineState, name: string, command: FoundCommand): void {
  if (state.functions?.has(name) === true) return;
  state.hide(`${name} is not a program that is known`, command);
  const lower = name.toLowerCase();
  if (lower !== name && findProgram(lower) !== undefined) {
    state.doubt(`${name} is ${lower} where the file system ignores case`);
  }
}

function hideWork(state: LineState, command: FoundCommand): void {
  state.hide(`what ${command.name} does is not shown by the line`, command);
}

function follow(state: LineState, command: FoundCommand, input: Input): void {
  const { read } = command;
  if (read === undefined) return;
  if (read.unsureCommand !== undefined) state.doubt(read.unsureCommand);
  if (read.shifts !== undefined) state.doubt(read.shifts);
  if (read.opaque) hideWork(state, command);
  if (command.program?.usage.style === 'shell') for (const part of read.parts) switchReading(state, part);
  // In a pager, a person or whatever holds the terminal can start anything.
  if (read.pages && !(state.piped && command.redirects.length === 0)) hideWork(state, command);
  const { at } = state;
  const inside = read.moves ? at : workingAt(at, command, read);
  if (inside !== at) state.begin(inside);
  const stdin = read.stdin === 'words' ? givenInput : input;
  const following: Following = { command, stdin, words: input, set: [], started: 0 };
  for (const part of read.parts) followPart(state, part, following);
  if (read.stdin === 'code' || read.stdin === 'foreign') runInput(state, following, read.stdin);
  if (read.moves) move(state, command, read);
  else if (inside !== at) state.begin(at);
}

/** Options of `set`, and of a shell itself, after which braces and patterns mean something else. */
function switchReading(state: LineState, part: ArgumentPart): void {
  if (part.type !== 'option') return;
  const { name, value } = part;
  if (value?.type === 'open' && /^[-+]o$/i.test(name)) state.doubt('an option of the shell is not literal');
  const option = value?.type === 'literal' ? `${name} ${value.value}` : name;
  if (/^[-+](?:f|o noglob)$/.test(option)) state.patternsSet = true;
  if (/^\+(?:B|o braceexpand)$/.test(option)) state.doubt('braces are not expanded');
  if (/^-(?:P|o physical)$/.test(option)) state.loseForGood(`the folder is not known after ${option}`);
}

interface Following {
  readonly command: FoundCommand;
  /** What the programs it starts read. */
  readonly stdin: Input;
  /** What it reads itself, and may hand on as words. */
  readonly words: Input;
  /** How many programs it has started. */
  started: number;
  /** Assignments for what is started, so far. */
  readonly set: string[];
}

function followPart(state: LineState, part: ArgumentPart, following: Following): void {
  switch (part.type) {
    case 'subcommand':
      break;
    case 'option':
    case 'operand':
      followRole(state, part, following);
      break;
    case 'code':
      runText(state, part.words, following.command);
      break;
    case 'command':
      startInner(state, part, following);
      break;
    default:
      part satisfies never;
  }
}

function startInner(state: LineState, part: ArgumentPart & { type: 'command' }, following: Following): void {
  const { command, set, stdin, words: input, started: index } = following;
  following.started += 1;
  if (part.argv.length === 0 && !part.more) return;
  const handed = handedWords(command, part, { index, input });
  state.relied ||= handed[0] !== part;
  for (const { argv: words, more } of state.definesFunctions ? [part] : handed) {
    const argv = words.length === 0 ? [anything()] : words;
    const inner = new FoundCommand(argv, programOf(argv[0]), {
      more,
      assignments: set.length === 0 ? command.assignments : [...command.assignments, ...set],
      redirects: [],
      redirectsOut: false,
      via: [...command.via, command.name ?? ''],
    });
    // It goes to the top of its working tree first.
    if (command.name === 'git') state.aside(() => startIn(state, inner, Whereabouts.unknown('git chooses the folder')));
    else startCommand(state, inner, stdin);
  }
}

function startIn(state: LineState, command: FoundCommand, at: Whereabouts): void {
  state.begin(at);
  startCommand(state, command, givenInput);
}

function followRole(state: LineState, part: OptionPart | OperandPart, following: Following): void {
  const { role } = part;
  const word = part.type === 'option' ? part.value : part.word;
  if (word === undefined) return;
  switch (role) {
    case 'text':
    case 'reads':
    case 'writes':
    case 'either':
    case 'entry':
    case 'folder':
      break;
    case 'program':
    case 'code':
      runText(state, [word], following.command);
      break;
    case 'foreign':
      runForeign(state, word);
      break;
    case 'script':
      runFile(state, word, following);
      break;
    case 'assignment':
      following.set.push(word.type === 'literal' ? word.value : word.text);
      passVariable(state, word);
      break;
    case 'variable':
      setShellVariable(state, word, following.command);
      break;
    case 'arithmetic':
      state.evaluates = true;
      if (word.type === 'literal') evaluateText(state, word.value);
      else state.doubt('text that is not literal is evaluated as arithmetic');
      break;
    case 'harmful':
      state.hide(`${shownText(word)} may be started`, following.command);
      break;
    default:
      role satisfies never;
  }
}

/** Without a value, these give a variable none. */
const keepsValue: ReadonlySet<string> = new Set('unset export declare typeset local readonly test ['.split(' '));

/** `unset` and the like may take a function away again. */
function setShellVariable(state: LineState, word: ShellWord, { name = '', assignments, via }: FoundCommand): void {
  if (word.type === 'literal') state.functions?.delete(word.value);
  else state.functions?.clear();
  if (word.type === 'literal' && keepsValue.has(name) && /^[A-Za-z_]\w*$/.test(word.value)) {
    const { now } = state.shown;
    mentionVariable(state, word.value);
    if (leavesValue.has(name) && assignments.length === 0) state.shown.keep(now);
  } else {
    assignWord(state, word);
    if (name === 'export' && assignments.length + via.length === 0) exportValue(state, word);
  }
}

/** These only look at a variable, or pass it on. */
const leavesValue: ReadonlySet<string> = new Set(['export', 'test', '[']);

/** `export NAME=value` sets it for the shell, too. */
function exportValue(state: LineState, word: ShellWord): void {
  const [, name = '', value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.type === 'literal' ? word.value : '') ?? [];
  if (value !== undefined && !state.otherShell) state.shown.set(name, [{ type: 'text', value }]);
}

function passVariable(state: LineState, word: ShellWord): void {
  const start = word.type === 'literal' ? word.value : (word.pieces[0] ?? '');
  const equal = start.indexOf('=');
  if (equal <= 0) return state.doubt('the name of a variable is not literal');
  const name = start.slice(0, equal);
  if (word.type === 'open') return assignUnknown(state, name);
  (state.values ??= []).push(start.slice(equal + 1));
  setVariable(state, name, { type: 'literal', value: start.slice(equal + 1), text: word.text });
}

function runText(state: LineState, words: readonly ShellWord[], command: FoundCommand): void {
  let text = '';
  for (const word of words) {
    if (word.type === 'open') return state.doubt(`code that is not literal is run: ${shownText(word)}`);
    text += text === '' ? word.value : ` ${word.value}`;
  }
  runCodeIn(state, command, text);
}

function runForeign(state: LineState, word: ShellWord): void {
  state.hide('code of another language is run');
  if (word.type === 'literal') (state.foreign ??= []).push(word.value);
  else state.doubt(`code that is not literal is run: ${shownText(word)}`);
}

const stdinFile = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

function runFile(state: LineState, word: ShellWord, following: Following): void {
  state.hide(`${shownText(word)} is a script`, following.command);
  if (word.type === 'open') {
    if ((word.pieces[0] ?? '').startsWith('/dev/fd/')) state.doubt('the output of a command is run as code');
  } else if (stdinFile.test(word.value)) runInput(state, following, 'code');
  else if (/^\/+(?:dev|proc)\//.test(word.value)) state.doubt(`${word.value} is run as code`);
}

function runInput(state: LineState, { command, stdin: input }: Following, language: 'code' | 'foreign'): void {
  if (input.type === 'text' && input.piped) command.piped = true;
  if (input.type === 'file') state.hide('a file is run as code');
  else if (input.type !== 'text') state.doubt('what is run as code comes from standard input');
  else if (language === 'code') runCodeIn(state, command, input.text);
  else runForeignInput(state, command, input.text);
}

/** What a scan finds in the code counts as if the line named it. */
function runForeignInput(state: LineState, command: FoundCommand, text: string): void {
  state.hide('code of another language is run');
  (state.foreign ??= []).push(text);
  const scan = command.program?.usage.scan;
  if (scan === undefined) return;
  command.input = scan(text)?.map(usePart) ?? 'unseen';
  if (command.input === 'unseen') return;
  for (const part of command.input) if (part.type === 'code') runText(state, part.words, command);
}
