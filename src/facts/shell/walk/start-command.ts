/** Starts a command: follows what it starts, sets and runs according to the program table. */

import { assignUnknown, assignWord, declareVariable, setVariable } from './assign-variable.ts';
import { findProgram } from '../programs/find-program.ts';
import { unordered, LineCommand, type NamedProgram } from '../commands/line-command.ts';
import { childCommandWords } from './added-words.ts';
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

/** Records a command and follows the effects of its arguments. */
export function startCommand(state: LineState, command: LineCommand, input: CommandInput): void {
  if (state.isFull()) return;
  command.location = state.location;
  command.order = state.inOrder ? state.commands.length : unordered;
  state.commands.push(command);
  const { name, program, path } = command;
  if (path !== undefined && isUntrustedPath(path))
    state.markOpaque(`${path.text} is called by its path and may be any program`, command);
  if (name === undefined) markUnknownName(state, command);
  else if (program === undefined) markUnlisted(state, name, command);
  else if (!program.onlyTouchesFiles && state.enter()) {
    if (variableSettingBuiltins.has(name)) state.forgetVariables(`${name} may set any variable`);
    const seen = command.quickScan();
    if (seen === 'undecided') followArguments(state, command, input);
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

/** True for a file that only has the name of a program: anybody may have written `./ls`. */
function isUntrustedPath(word: ShellWord): boolean {
  if (word.type === 'literal') return word.value.includes('/') && !systemPath.test(word.value);
  return word.knownPieces.some((piece) => piece.includes('/'));
}

function markUnknownName(state: LineState, { argv }: LineCommand): void {
  const [first] = argv;
  if (first !== undefined) state.markUnknown(`a command name is not literal: ${first.text}`);
}

/** The base name, if it is certain. A name after a slash cannot be split off by an expansion. */
function baseName(word: ShellWord): string | undefined {
  if (word.type === 'literal') return word.value.slice(word.value.lastIndexOf('/') + 1);
  const last = word.knownPieces.at(-1) ?? '';
  const slash = last.lastIndexOf('/');
  return word.splits || slash === -1 ? undefined : last.slice(slash + 1);
}

function markUnlisted(state: LineState, name: string, command: LineCommand): void {
  if (state.knownFunctions?.has(name) === true) return;
  state.markOpaque(`${name} is not a known program`, command);
  const lower = name.toLowerCase();
  if (lower !== name && findProgram(lower) !== undefined) {
    state.markUnknown(`${name} may be ${lower} on a case-insensitive file system`);
  }
}

function markHiddenWork(state: LineState, command: LineCommand): void {
  state.markOpaque(`the line does not show what ${command.name} does`, command);
}

function followArguments(state: LineState, command: LineCommand, input: CommandInput): void {
  const { parsed } = command;
  if (parsed === undefined) return;
  if (parsed.unsureCommand !== undefined) state.markUnknown(parsed.unsureCommand);
  if (parsed.changesMeaning !== undefined) state.markUnknown(parsed.changesMeaning);
  if (parsed.opaque) markHiddenWork(state, command);
  if (command.program?.usage.style === 'shell') for (const part of parsed.parts) applyShellOption(state, part);
  // In a pager, a person or anything that controls the terminal can start a program.
  if (parsed.opensPager && !(state.piped && command.redirects.length === 0)) markHiddenWork(state, command);
  const { location } = state;
  const inside = parsed.changesFolder ? location : workingLocation(location, command, parsed);
  if (inside !== location) state.begin(inside);
  const stdin = parsed.stdin === 'words' ? unknownInput : input;
  const parent: StartedCommand = { command, childInput: stdin, ownInput: input, childAssignments: [], started: 0 };
  for (const part of parsed.parts) followPart(state, part, parent);
  if (parsed.stdin === 'code' || parsed.stdin === 'foreign') runInput(state, parent, parsed.stdin);
  if (parsed.changesFolder) changeFolder(state, command, parsed);
  else if (inside !== location) state.begin(location);
}

/** Options of `set`, and of a shell itself, that change how braces and patterns are read. */
function applyShellOption(state: LineState, part: ArgumentPart): void {
  if (part.type !== 'option') return;
  const { name, value } = part;
  if (value?.type === 'open' && /^[-+]o$/i.test(name)) state.markUnknown('a shell option is not literal');
  const option = value?.type === 'literal' ? `${name} ${value.value}` : name;
  if (/^[-+](?:f|o noglob)$/.test(option)) state.globbingChanged = true;
  if (/^\+(?:B|o braceexpand)$/.test(option)) state.markUnknown('brace expansion is turned off');
  if (/^-(?:P|o physical)$/.test(option)) state.stopTrackingFolder(`the working folder is not known after ${option}`);
}

interface StartedCommand {
  readonly command: LineCommand;
  /** The input of the programs it starts. */
  readonly childInput: CommandInput;
  /** Its own input, which it may pass on as words. */
  readonly ownInput: CommandInput;
  /** How many programs it has started. */
  started: number;
  /** Assignments for the started programs, so far. */
  readonly childAssignments: string[];
}

function followPart(state: LineState, part: ArgumentPart, parent: StartedCommand): void {
  switch (part.type) {
    case 'subcommand':
      break;
    case 'option':
    case 'operand':
      followRole(state, part, parent);
      break;
    case 'code':
      runText(state, part.words, parent.command);
      break;
    case 'command':
      startChild(state, part, parent);
      break;
    default:
      part satisfies never;
  }
}

function startChild(state: LineState, part: ArgumentPart & { type: 'command' }, parent: StartedCommand): void {
  const { command, childAssignments, childInput, ownInput: input, started: index } = parent;
  parent.started += 1;
  if (part.argv.length === 0 && !part.more) return;
  const handed = childCommandWords(command, part, { index, input });
  state.reliesOnOutput ||= handed[0] !== part;
  for (const { argv: words, more } of state.definesFunctions ? [part] : handed) {
    const argv = words.length === 0 ? [unknownWords()] : words;
    const inner = new LineCommand(argv, programOfWord(argv[0]), {
      more,
      assignments: childAssignments.length === 0 ? command.assignments : [...command.assignments, ...childAssignments],
      redirects: [],
      redirectsOut: false,
      via: [...command.via, command.name ?? ''],
    });
    // git changes to the top of its working tree first.
    if (command.name === 'git')
      state.inSubshell(() => startAt(state, inner, ShellLocation.unknown('git chooses the working folder')));
    else startCommand(state, inner, childInput);
  }
}

function startAt(state: LineState, command: LineCommand, location: ShellLocation): void {
  state.begin(location);
  startCommand(state, command, unknownInput);
}

function followRole(state: LineState, part: OptionPart | OperandPart, parent: StartedCommand): void {
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
      runText(state, [word], parent.command);
      break;
    case 'foreign':
      runForeign(state, word);
      break;
    case 'script':
      runFile(state, word, parent);
      break;
    case 'assignment':
      parent.childAssignments.push(word.type === 'literal' ? word.value : word.text);
      passVariable(state, word);
      break;
    case 'variable':
      setShellVariable(state, word, parent.command);
      break;
    case 'arithmetic':
      state.evaluatesVariables = true;
      if (word.type === 'literal') evaluateArithmetic(state, word.value);
      else state.markUnknown('bash evaluates text that is not literal as arithmetic');
      break;
    case 'harmful':
      state.markOpaque(`${displayWord(word)} may be run as a program`, parent.command);
      break;
    default:
      role satisfies never;
  }
}

/** Without `=`, these set no value. */
const bareDeclarations: ReadonlySet<string> = new Set('unset export declare typeset local readonly test ['.split(' '));

/** `unset` and similar builtins may remove a function. */
function setShellVariable(state: LineState, word: ShellWord, { name = '', assignments, via }: LineCommand): void {
  if (word.type === 'literal') state.knownFunctions?.delete(word.value);
  else state.knownFunctions?.clear();
  if (word.type === 'literal' && bareDeclarations.has(name) && /^[A-Za-z_]\w*$/.test(word.value)) {
    const { current } = state.variables;
    declareVariable(state, word.value);
    if (keepsKnownValue.has(name) && assignments.length === 0) state.variables.restore(current);
  } else {
    assignWord(state, word);
    if (name === 'export' && assignments.length + via.length === 0) exportValue(state, word);
  }
}

/** These only read a variable or export it. */
const keepsKnownValue: ReadonlySet<string> = new Set(['export', 'test', '[']);

/** `export NAME=value` also sets it for the shell. */
function exportValue(state: LineState, word: ShellWord): void {
  const [, name = '', value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.type === 'literal' ? word.value : '') ?? [];
  if (value !== undefined && !state.otherShell) state.variables.set(name, [{ type: 'text', value }]);
}

function passVariable(state: LineState, word: ShellWord): void {
  const start = word.type === 'literal' ? word.value : (word.knownPieces[0] ?? '');
  const equal = start.indexOf('=');
  if (equal <= 0) return state.markUnknown('a variable name is not literal');
  const name = start.slice(0, equal);
  if (word.type === 'open') return assignUnknown(state, name);
  (state.passedValues ??= []).push(start.slice(equal + 1));
  setVariable(state, name, { type: 'literal', value: start.slice(equal + 1), text: word.text });
}

function runText(state: LineState, words: readonly ShellWord[], command: LineCommand): void {
  let text = '';
  for (const word of words) {
    if (word.type === 'open') return state.markUnknown(`the line runs code that is not literal: ${displayWord(word)}`);
    text += text === '' ? word.value : ` ${word.value}`;
  }
  runShellCode(state, command, text);
}

function runForeign(state: LineState, word: ShellWord): void {
  state.markOpaque('the line runs code in another language');
  if (word.type === 'literal') (state.foreign ??= []).push(word.value);
  else state.markUnknown(`the line runs code that is not literal: ${displayWord(word)}`);
}

const stdinFile = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

function runFile(state: LineState, word: ShellWord, parent: StartedCommand): void {
  state.markOpaque(`the line runs the script ${displayWord(word)}`, parent.command);
  if (word.type === 'open') {
    if ((word.knownPieces[0] ?? '').startsWith('/dev/fd/'))
      state.markUnknown('the line runs the output of a command as code');
  } else if (stdinFile.test(word.value)) runInput(state, parent, 'code');
  else if (/^\/+(?:dev|proc)\//.test(word.value)) state.markUnknown(`the line runs ${word.value} as code`);
}

function runInput(state: LineState, { command, childInput }: StartedCommand, language: 'code' | 'foreign'): void {
  if (childInput.type === 'text' && childInput.piped) command.readsCodeFromPipe = true;
  if (childInput.type === 'file') state.markOpaque('the line runs a file as code');
  else if (childInput.type !== 'text') state.markUnknown('code to run comes from standard input');
  else if (language === 'code') runShellCode(state, command, childInput.text);
  else runForeignInput(state, command, childInput.text);
}

/** What a scan finds in the code counts as if the line named it. */
function runForeignInput(state: LineState, command: LineCommand, text: string): void {
  state.markOpaque('the line runs code in another language');
  (state.foreign ??= []).push(text);
  const scan = command.program?.usage.scan;
  if (scan === undefined) return;
  command.input = scan(text)?.map(partOfUse) ?? 'unknown';
  if (command.input === 'unknown') return;
  for (const part of command.input) if (part.type === 'code') runText(state, part.words, command);
}
