/** A command with its words: what the table says it starts, sets and runs in turn. */

import { assignUnknown, assignWord, declareVariable, setVariable } from './assign-variable.ts';
import { findProgram } from '../programs/find-program.ts';
import { unordered, LineCommand, type NamedProgram } from '../commands/line-command.ts';
import { addWords } from './added-words.ts';
import { unknownInput, type CommandInput, type LineState } from './line-state.ts';
import { changeFolder, workingLocation } from './change-folder.ts';
import type { ArgumentPart, OperandPart, OptionPart } from '../usage/program.ts';
import { RecentCache } from '../words/recent-cache.ts';
import { runShellCode } from './run-code.ts';
import { partOfUse } from '../arguments/scan-code-arguments.ts';
import { unknownWords, type ShellWord, displayWord } from '../words/shell-word.ts';
import { variableSettingBuiltins } from '../words/known-values.ts';
import { evaluateArithmetic } from './walk-word.ts';
import { ShellLocation } from '../commands/shell-location.ts';

/** Notes a command, and follows what it does by its arguments. */
export function startCommand(state: LineState, command: LineCommand, input: CommandInput): void {
  if (state.isFull()) return;
  command.location = state.location;
  command.order = state.inOrder ? state.commands.length : unordered;
  state.commands.push(command);
  const { name, program, path } = command;
  if (path !== undefined && isUntrustedPath(path))
    state.markOpaque(`${path.text} may be any program: it is called by a path`, command);
  if (name === undefined) markUnknownName(state, command);
  else if (program === undefined) markUnlisted(state, name, command);
  else if (!program.quiet && state.enter()) {
    if (variableSettingBuiltins.has(name)) state.forgetVariables(`${name} may set any variable`);
    const seen = command.quickScan();
    if (seen === 'unseen') followArguments(state, command, input);
    else if (seen === 'hidden') markHiddenWork(state, command);
    state.leave();
  }
}

/** Finds the program that a word names. */
export function programOfWord(word: ShellWord | undefined): NamedProgram {
  return programNamed(word === undefined ? undefined : baseName(word));
}

const noProgram: NamedProgram = { name: undefined, program: undefined };
const programCache = new RecentCache<NamedProgram>(1024);

export function programNamed(name: string | undefined): NamedProgram {
  if (name === undefined) return noProgram;
  const known = programCache.get(name);
  if (known !== undefined) return known;
  const found = { name, program: findProgram(name) };
  programCache.set(name, found);
  return found;
}

const systemPath = /^\/(?:usr\/(?:local\/)?|opt\/homebrew\/)?s?bin\/[^/]+$/;

/** True for a file that is only called like a program: `./ls` is a script of whoever could write it. */
function isUntrustedPath(word: ShellWord): boolean {
  if (word.type === 'literal') return word.value.includes('/') && !systemPath.test(word.value);
  return word.knownPieces.some((piece) => piece.includes('/'));
}

function markUnknownName(state: LineState, { argv }: LineCommand): void {
  const [first] = argv;
  if (first !== undefined) state.markUnknown(`the name of a command is not literal: ${first.text}`);
}

/** The base name, where the word surely ends with it; a name with a slash is never split off by an expansion. */
function baseName(word: ShellWord): string | undefined {
  if (word.type === 'literal') return word.value.slice(word.value.lastIndexOf('/') + 1);
  const last = word.knownPieces.at(-1) ?? '';
  const slash = last.lastIndexOf('/');
  return word.splits || slash === -1 ? undefined : last.slice(slash + 1);
}

function markUnlisted(state: LineState, name: string, command: LineCommand): void {
  if (state.knownFunctions?.has(name) === true) return;
  state.markOpaque(`${name} is not a program that is known`, command);
  const lower = name.toLowerCase();
  if (lower !== name && findProgram(lower) !== undefined) {
    state.markUnknown(`${name} is ${lower} where the file system ignores case`);
  }
}

function markHiddenWork(state: LineState, command: LineCommand): void {
  state.markOpaque(`what ${command.name} does is not shown by the line`, command);
}

function followArguments(state: LineState, command: LineCommand, input: CommandInput): void {
  const { parsedArguments: read } = command;
  if (read === undefined) return;
  if (read.unsureCommand !== undefined) state.markUnknown(read.unsureCommand);
  if (read.changesMeaning !== undefined) state.markUnknown(read.changesMeaning);
  if (read.opaque) markHiddenWork(state, command);
  if (command.program?.usage.style === 'shell') for (const part of read.parts) applyShellOption(state, part);
  // In a pager, a person or whatever holds the terminal can start anything.
  if (read.opensPager && !(state.piped && command.redirects.length === 0)) markHiddenWork(state, command);
  const { location: at } = state;
  const inside = read.changesFolder ? at : workingLocation(at, command, read);
  if (inside !== at) state.begin(inside);
  const stdin = read.stdin === 'words' ? unknownInput : input;
  const following: StartedCommand = { command, childInput: stdin, ownInput: input, childAssignments: [], started: 0 };
  for (const part of read.parts) followPart(state, part, following);
  if (read.stdin === 'code' || read.stdin === 'foreign') runInput(state, following, read.stdin);
  if (read.changesFolder) changeFolder(state, command, read);
  else if (inside !== at) state.begin(at);
}

/** Options of `set`, and of a shell itself, after which braces and patterns mean something else. */
function applyShellOption(state: LineState, part: ArgumentPart): void {
  if (part.type !== 'option') return;
  const { name, value } = part;
  if (value?.type === 'open' && /^[-+]o$/i.test(name)) state.markUnknown('an option of the shell is not literal');
  const option = value?.type === 'literal' ? `${name} ${value.value}` : name;
  if (/^[-+](?:f|o noglob)$/.test(option)) state.globbingChanged = true;
  if (/^\+(?:B|o braceexpand)$/.test(option)) state.markUnknown('braces are not expanded');
  if (/^-(?:P|o physical)$/.test(option)) state.stopTrackingFolder(`the folder is not known after ${option}`);
}

interface StartedCommand {
  readonly command: LineCommand;
  /** What the programs it starts read. */
  readonly childInput: CommandInput;
  /** What it reads itself, and may hand on as words. */
  readonly ownInput: CommandInput;
  /** How many programs it has started. */
  started: number;
  /** Assignments for what is started, so far. */
  readonly childAssignments: string[];
}

function followPart(state: LineState, part: ArgumentPart, following: StartedCommand): void {
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
      startChild(state, part, following);
      break;
    default:
      part satisfies never;
  }
}

function startChild(state: LineState, part: ArgumentPart & { type: 'command' }, following: StartedCommand): void {
  const { command, childAssignments: set, childInput: stdin, ownInput: input, started: index } = following;
  following.started += 1;
  if (part.argv.length === 0 && !part.more) return;
  const handed = addWords(command, part, { index, input });
  state.reliesOnOutput ||= handed[0] !== part;
  for (const { argv: words, more } of state.definesFunctions ? [part] : handed) {
    const argv = words.length === 0 ? [unknownWords()] : words;
    const inner = new LineCommand(argv, programOfWord(argv[0]), {
      more,
      assignments: set.length === 0 ? command.assignments : [...command.assignments, ...set],
      redirects: [],
      redirectsOut: false,
      via: [...command.via, command.name ?? ''],
    });
    // It goes to the top of its working tree first.
    if (command.name === 'git')
      state.inSubshell(() => startAt(state, inner, ShellLocation.unknown('git chooses the folder')));
    else startCommand(state, inner, stdin);
  }
}

function startAt(state: LineState, command: LineCommand, at: ShellLocation): void {
  state.begin(at);
  startCommand(state, command, unknownInput);
}

function followRole(state: LineState, part: OptionPart | OperandPart, following: StartedCommand): void {
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
      following.childAssignments.push(word.type === 'literal' ? word.value : word.text);
      passVariable(state, word);
      break;
    case 'variable':
      setShellVariable(state, word, following.command);
      break;
    case 'arithmetic':
      state.evaluatesVariables = true;
      if (word.type === 'literal') evaluateArithmetic(state, word.value);
      else state.markUnknown('text that is not literal is evaluated as arithmetic');
      break;
    case 'harmful':
      state.markOpaque(`${displayWord(word)} may be started`, following.command);
      break;
    default:
      role satisfies never;
  }
}

/** Without a value, these give a variable none. */
const declaresWithoutValue: ReadonlySet<string> = new Set(
  'unset export declare typeset local readonly test ['.split(' '),
);

/** `unset` and the like may take a function away again. */
function setShellVariable(state: LineState, word: ShellWord, { name = '', assignments, via }: LineCommand): void {
  if (word.type === 'literal') state.knownFunctions?.delete(word.value);
  else state.knownFunctions?.clear();
  if (word.type === 'literal' && declaresWithoutValue.has(name) && /^[A-Za-z_]\w*$/.test(word.value)) {
    const { current: now } = state.variables;
    declareVariable(state, word.value);
    if (keepsKnownValue.has(name) && assignments.length === 0) state.variables.restore(now);
  } else {
    assignWord(state, word);
    if (name === 'export' && assignments.length + via.length === 0) exportValue(state, word);
  }
}

/** These only look at a variable, or pass it on. */
const keepsKnownValue: ReadonlySet<string> = new Set(['export', 'test', '[']);

/** `export NAME=value` sets it for the shell, too. */
function exportValue(state: LineState, word: ShellWord): void {
  const [, name = '', value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.type === 'literal' ? word.value : '') ?? [];
  if (value !== undefined && !state.otherShell) state.variables.set(name, [{ type: 'text', value }]);
}

function passVariable(state: LineState, word: ShellWord): void {
  const start = word.type === 'literal' ? word.value : (word.knownPieces[0] ?? '');
  const equal = start.indexOf('=');
  if (equal <= 0) return state.markUnknown('the name of a variable is not literal');
  const name = start.slice(0, equal);
  if (word.type === 'open') return assignUnknown(state, name);
  (state.passedValues ??= []).push(start.slice(equal + 1));
  setVariable(state, name, { type: 'literal', value: start.slice(equal + 1), text: word.text });
}

function runText(state: LineState, words: readonly ShellWord[], command: LineCommand): void {
  let text = '';
  for (const word of words) {
    if (word.type === 'open') return state.markUnknown(`code that is not literal is run: ${displayWord(word)}`);
    text += text === '' ? word.value : ` ${word.value}`;
  }
  runShellCode(state, command, text);
}

function runForeign(state: LineState, word: ShellWord): void {
  state.markOpaque('code of another language is run');
  if (word.type === 'literal') (state.foreign ??= []).push(word.value);
  else state.markUnknown(`code that is not literal is run: ${displayWord(word)}`);
}

const stdinFile = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

function runFile(state: LineState, word: ShellWord, following: StartedCommand): void {
  state.markOpaque(`${displayWord(word)} is a script`, following.command);
  if (word.type === 'open') {
    if ((word.knownPieces[0] ?? '').startsWith('/dev/fd/')) state.markUnknown('the output of a command is run as code');
  } else if (stdinFile.test(word.value)) runInput(state, following, 'code');
  else if (/^\/+(?:dev|proc)\//.test(word.value)) state.markUnknown(`${word.value} is run as code`);
}

function runInput(state: LineState, { command, childInput }: StartedCommand, language: 'code' | 'foreign'): void {
  if (childInput.type === 'text' && childInput.piped) command.readsCodeFromPipe = true;
  if (childInput.type === 'file') state.markOpaque('a file is run as code');
  else if (childInput.type !== 'text') state.markUnknown('what is run as code comes from standard input');
  else if (language === 'code') runShellCode(state, command, childInput.text);
  else runForeignInput(state, command, childInput.text);
}

/** What a scan finds in the code counts as if the line named it. */
function runForeignInput(state: LineState, command: LineCommand, text: string): void {
  state.markOpaque('code of another language is run');
  (state.foreign ??= []).push(text);
  const scan = command.program?.usage.scan;
  if (scan === undefined) return;
  command.input = scan(text)?.map(partOfUse) ?? 'unseen';
  if (command.input === 'unseen') return;
  for (const part of command.input) if (part.type === 'code') runText(state, part.words, command);
}
