/** Tracks how setting a variable affects the rest of a line. */

import type { ArrayValue, Word, WordPart } from 'unbash';
import { decodeAnsiC } from '../words/decode-ansi-c.ts';
import type { LineState } from './line-state.ts';
import { plainStart, LineCommand, type FileRedirect } from '../commands/line-command.ts';
import { readSingleWord } from '../words/read-word.ts';
import { literal, partlyKnownWord, type ShellWord } from '../words/shell-word.ts';
import {
  mayCompleteBashSetVariable,
  isShellOnlyVariable,
  isSourcePath,
  isTimeZone,
  isHarmlessLocale,
  isHarmlessAssignment,
  isHarmlessSetting,
  mentionsBashSetVariable,
  variableEffect,
  type VariableEffect,
} from '../words/variable-effects.ts';

/**
 * Text that bash cannot evaluate as a subscript with a substitution, or as an assignment, even when joined with other
 * text.
 */
const cleanText = /^(?![^]*(?:\+\+|--))[^[$`=]*$/;

/** Also false if the text names a variable that bash sets to arbitrary text. */
function isCleanText(text: string): boolean {
  return cleanText.test(text) && !mentionsBashSetVariable(text);
}

const numbers = /^\$[?#$!]$|^\$\{#/;

/** Sets a variable to a value that the line shows. */
export function assign(state: LineState, name: string, value: Word | ArrayValue | undefined): void {
  recordSet(state, name, value?.type === 'Word' && isHarmlessAssignment(`${name}=${value.text}`));
  if (value !== undefined && !isCleanValue(value)) state.variableMayHoldCode = true;
  if (variableEffect(name) === undefined) return;
  setVariable(state, name, value?.type === 'Word' ? readSingleWord(value, state.variables.current) : unknownValue);
}

function recordSet(state: LineState, name: string, isHarmless: boolean): void {
  forgetValue(state, name);
  if (isShellOnlyVariable(name)) return;
  state.environmentVariable ??= name;
  if (!isHarmless) state.projectVariable ??= name;
}

/** Forgets the known value. A new IFS changes how every value is split. */
function forgetValue(state: LineState, name: string): void {
  if (state.setsForOneCommand) return;
  if (name === 'IFS') state.forgetVariables('IFS is set, which changes how values are split');
  else state.variables.forget(name);
}

/** Sets a variable to a value that the line does not show. */
export function assignUnknown(state: LineState, name: string): void {
  state.variableMayHoldCode = true;
  setVariable(state, name, unknownValue);
}

const unknownValue: ShellWord = partlyKnownWord([], '');

/** `NAME+=value`: the appended text alone does not show the new value. */
export function appendValue(state: LineState, name: string, value: Word | ArrayValue): void {
  if (!isCleanValue(value)) state.variableMayHoldCode = true;
  if (value.type === 'Word') appendText(state, readSingleWord(value, state.variables.current));
  setVariable(state, name, unknownValue);
}

/** Appended text may complete the name of a variable inside the value. */
function appendText(state: LineState, text: ShellWord): void {
  if (text.type === 'literal' && mayCompleteBashSetVariable(text.value)) state.variableMayHoldCode = true;
}

/** `declare x` or `unset x`: a variable without a new value. */
export function declareVariable(state: LineState, name: string): void {
  forgetValue(state, name);
  const effect = variableEffect(name);
  if (effect === 'number' || effect === 'locale' || effect === 'writes') recordSet(state, name, false);
  else if (effect === 'config') state.markOpaque(`${name} is declared, exported or unset`);
  else setVariable(state, name, unknownValue);
}

/** Applies the effects of setting a variable, based on its name and value. */
export function setVariable(state: LineState, name: string, value: ShellWord): void {
  const text = value.type === 'literal' ? value.value : '$';
  const isSource = state.setsForOneCommand && isSourcePath(name, text);
  const isHarmless = isSource || isHarmlessSetting(name, text);
  const effect = recordEffect(state, name, isHarmless);
  if (effect === undefined) return;
  switch (effect) {
    case 'programs':
      setProgramVariable(state, name, { isSource, isHarmless });
      break;
    case 'config':
      state.markOpaque(`${name} is set, which changes the settings of programs`);
      addFileAccess(state, { mode: 'read', word: value });
      break;
    case 'home':
      setHome(state, name);
      break;
    case 'folder':
      state.stopTrackingFolder(`the working folder is not known after ${name} is set`);
      if (name.startsWith('GIT_')) state.markOpaque(`${name} is set, which changes where git works`);
      break;
    case 'writes':
      addFileAccess(state, { mode: 'write', word: value, insideFolder: name === 'TMPDIR' });
      break;
    case 'patterns':
      state.globbingChanged = true;
      break;
    case 'number':
      if (value.type === 'open' || !/^\s*[-+]?\d*\s*$/.test(value.value)) state.evaluatesVariables = true;
      break;
    case 'locale':
      if (value.type === 'open' || !isHarmlessLocale(value.value))
        state.markUnknown(`${name} is set to an unusual locale`);
      break;
    case 'zone':
      readZone(state, value);
      break;
    case 'reading':
      state.markUnknown(`${name} is set, which changes how bash reads the line`);
      break;
    case 'code':
      if (!isHarmless) setCodeVariable(state, name, value);
      break;
    case 'script':
      setScript(state, name, value);
      break;
    default:
      effect satisfies never;
  }
}

function recordEffect(state: LineState, name: string, isHarmless: boolean): VariableEffect | undefined {
  recordSet(state, name, isHarmless);
  return variableEffect(name);
}

/** A source folder of the project only affects the command it is set for. */
function setProgramVariable(state: LineState, name: string, how: { isSource: boolean; isHarmless: boolean }): void {
  if (how.isSource) state.opaque ??= `${name} is set, which changes what programs do`;
  else if (!how.isHarmless) state.markOpaque(`${name} is set, which changes what programs do`);
}

/** A program will run the value at an unknown time. */
function setCodeVariable(state: LineState, name: string, value: ShellWord): void {
  state.markOpaque(`${name} is set to code that programs run`);
  if (value.type === 'open') return state.markUnknown(`${name} is set to a value that is not literal`);
  state.inShell(true, () => state.inSubshell(() => state.deferred(() => state.runCode(state, value.value))));
}

function setHome(state: LineState, name: string): void {
  state.homeChanged = true;
  state.markOpaque(`${name} is set, and programs load their settings from there`);
}

/** `TZ=:file`: every program that prints the time reads the file. */
function readZone(state: LineState, value: ShellWord): void {
  if (value.type === 'open') addFileAccess(state, { mode: 'read', word: value });
  else if (!isTimeZone(value.value))
    addFileAccess(state, { mode: 'read', word: literal(value.value.replace(/^:/, '')) });
}

/** bash expands the value before it runs the file, so the value may contain code. */
function setScript(state: LineState, name: string, value: ShellWord): void {
  state.markOpaque(`${name} is set to a file that bash runs`);
  addFileAccess(state, { mode: 'read', word: value });
  if (value.type !== 'literal' || !/^[\w./-]*$/.test(value.value) || /^\/(?:dev|proc)\//.test(value.value)) {
    state.markUnknown(`${name} is set to something that bash runs`);
  }
}

/** Records the file named by a variable as if the line read or wrote it here. */
function addFileAccess(state: LineState, file: FileRedirect): void {
  if (state.isFull() || (file.word.type === 'literal' && file.word.value === '')) return;
  const how = { ...plainStart, redirects: [file], redirectsOut: file.mode === 'write' };
  const command = new LineCommand([], noProgram, how);
  command.location = state.location;
  state.commands.push(command);
}

const noProgram = { name: undefined, program: undefined };

/** Handles a word `NAME=value`, `NAME+=value` or `NAME` that a command takes as a shell variable. */
export function assignWord(state: LineState, word: ShellWord): void {
  if (word.type === 'open') assignUnknownName(state, word.knownPieces[0] ?? '');
  else {
    const found = /^([A-Za-z_]\w*)(?:(\+?)=([^]*))?$/.exec(word.value);
    const [, name = '', plus = '', value] = found ?? [];
    if (found === null) assignElement(state, word.value);
    else if (value === undefined) assignUnknown(state, name);
    else {
      if (!isCleanText(value)) state.variableMayHoldCode = true;
      // `declare -a 'x=($(rm))'` runs the code inside the text.
      if (value.startsWith('(') && !isCleanText(value)) state.markUnknown('bash expands text into an array');
      if (plus !== '') appendText(state, literal(value));
      setVariable(state, name, plus === '' ? literal(value) : unknownValue);
    }
  }
}

function assignUnknownName(state: LineState, start: string): void {
  const name = /^([A-Za-z_]\w*)\+?=(\(?)/.exec(start);
  if (name === null || name[2] === '(') state.markUnknown('a variable name is not literal');
  else assignUnknown(state, name[1] ?? '');
}

function assignElement(state: LineState, text: string): void {
  state.variableMayHoldCode = true;
  if (/^-?\d*$/.test(text)) return;
  if (/^[A-Za-z_]\w*\[[\w@*]+\](?:\+?=[^[$`]*)?$/.test(text)) {
    setVariable(state, /^\w+/.exec(text)?.[0] ?? '', unknownValue);
    state.evaluatesVariables = true;
    return;
  }
  state.forgetVariables('a variable name is not plain');
  if (isCleanText(text)) state.evaluatesVariables = true;
  else state.markUnknown('bash evaluates a variable name, which may contain code');
}

function isCleanValue(value: Word | ArrayValue): boolean {
  if (value.type === 'ArrayValue') return value.elements.every(isCleanValue);
  return value.parts === undefined ? isCleanText(value.text) : value.parts.every(isCleanPart);
}

function isCleanPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return isCleanText(part.value);
    case 'AnsiCQuoted':
      return isCleanText(decodeAnsiC(part.text) ?? '$');
    case 'DoubleQuoted':
      return part.parts.every(isCleanPart);
    case 'ArithmeticExpansion':
      return true;
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return numbers.test(part.text) && !part.text.includes('[');
    default:
      return false;
  }
}
