/** What setting a variable does to the rest of a line. */

import type { ArrayValue, Word, WordPart } from 'unbash';
import { decodeAnsiC } from './ansi-c.ts';
import type { LineState } from './line-state.ts';
import { bareCircumstances, FoundCommand, type FoundRedirect } from './found-command.ts';
import { readSingleWord } from './read-word.ts';
import { literal, openWord, type ShellWord } from './shell-word.ts';
import {
  endsHeldName,
  isOwnVariable,
  isSourcePath,
  isTimeZone,
  isUsualLocale,
  isUsualAssignment,
  isUsualSetting,
  namesHeldText,
  variableEffect,
  type VariableEffect,
} from './variables.ts';

/** Text that cannot become a subscript with a substitution in it, or set a variable, alone or put together with other text. */
const cleanText = /^(?![^]*(?:\+\+|--))[^[$`=]*$/;

/** False also of text that names a variable which bash sets to any text. */
function isCleanText(text: string): boolean {
  return cleanText.test(text) && !namesHeldText(text);
}

const numbers = /^\$[?#$!]$|^\$\{#/;

/** A variable gets a value that is written in the line. */
export function assign(state: LineState, name: string, value: Word | ArrayValue | undefined): void {
  noteSet(state, name, value?.type === 'Word' && isUsualAssignment(`${name}=${value.text}`));
  if (value !== undefined && !isClean(value)) state.dirty = true;
  if (variableEffect(name) === undefined) return;
  setVariable(state, name, value?.type === 'Word' ? readSingleWord(value, state.shown.now) : unknownValue);
}

function noteSet(state: LineState, name: string, isUsual: boolean): void {
  forget(state, name);
  if (isOwnVariable(name)) return;
  state.sets ??= name;
  if (!isUsual) state.tunes ??= name;
}

/** What the variable held is held no more; other separators change what all of them become. */
function forget(state: LineState, name: string): void {
  if (state.passes) return;
  if (name === 'IFS') state.unsettle('IFS is set, by which values are split');
  else state.shown.forget(name);
}

/** A variable gets a value that the line does not show. */
export function assignUnknown(state: LineState, name: string): void {
  state.dirty = true;
  setVariable(state, name, unknownValue);
}

const unknownValue: ShellWord = openWord([], '');

/** `NAME+=value`: what the variable holds then is not shown by the value alone. */
export function append(state: LineState, name: string, value: Word | ArrayValue): void {
  if (!isClean(value)) state.dirty = true;
  if (value.type === 'Word') appendText(state, readSingleWord(value, state.shown.now));
  setVariable(state, name, unknownValue);
}

/** Text that is added to a value may complete the name of a variable there. */
function appendText(state: LineState, text: ShellWord): void {
  if (text.type === 'literal' && endsHeldName(text.value)) state.dirty = true;
}

/** `declare x`, `unset x`: no new value. */
export function mentionVariable(state: LineState, name: string): void {
  forget(state, name);
  const effect = variableEffect(name);
  if (effect === 'number' || effect === 'locale' || effect === 'writes') noteSet(state, name, false);
  else if (effect === 'config') state.hide(`${name} is named`);
  else setVariable(state, name, unknownValue);
}

/** What follows from the name of a variable that is set; `value` as the line shows it. */
export function setVariable(state: LineState, name: string, value: ShellWord): void {
  const text = value.type === 'literal' ? value.value : '$';
  const isSource = state.passes && isSourcePath(name, text);
  const isUsual = isSource || isUsualSetting(name, text);
  const effect = noteEffect(state, name, isUsual);
  switch (effect) {
    case undefined:
      break;
    case 'programs':
      setPrograms(state, name, { isSource, isUsual });
      break;
    case 'config':
      state.hide(`${name} is set`);
      touch(state, { mode: 'read', word: value });
      break;
    case 'home':
      setHome(state, name);
      break;
    case 'folder':
      state.loseForGood(`the folder is not known once ${name} is set`);
      if (name.startsWith('GIT_')) state.hide(`${name} is set`);
      break;
    case 'writes':
      touch(state, { mode: 'write', word: value, inside: name === 'TMPDIR' });
      break;
    case 'patterns':
      state.patternsSet = true;
      break;
    case 'number':
      if (value.type === 'open' || !/^\s*[-+]?\d*\s*$/.test(value.value)) state.evaluates = true;
      break;
    case 'locale':
      if (value.type === 'open' || !isUsualLocale(value.value)) state.doubt(`${name} is set to an unusual locale`);
      break;
    case 'zone':
      readZone(state, value);
      break;
    case 'reading':
      state.doubt(`${name} is set`);
      break;
    case 'code':
      if (!isUsual) setCode(state, name, value);
      break;
    case 'script':
      setScript(state, name, value);
      break;
    default:
      effect satisfies never;
  }
}

function noteEffect(state: LineState, name: string, isUsual: boolean): VariableEffect | undefined {
  noteSet(state, name, isUsual);
  return variableEffect(name);
}

/** Sources of the project change only what the command does that they are set for. */
function setPrograms(state: LineState, name: string, how: { isSource: boolean; isUsual: boolean }): void {
  if (how.isSource) state.opaque ??= `${name} is set`;
  else if (!how.isUsual) state.hide(`${name} is set`);
}

/** Some program runs it, at some time. */
function setCode(state: LineState, name: string, value: ShellWord): void {
  state.hide(`${name} is set`);
  if (value.type === 'open') return state.doubt(`${name} is set to something that is not literal`);
  state.inShell(true, () => state.aside(() => state.later(() => state.runCode(state, value.value))));
}

function setHome(state: LineState, name: string): void {
  state.homeSet = true;
  state.hide(`${name} is set, and programs find their settings there`);
}

/** `TZ=:file`: every program that tells the time reads it. */
function readZone(state: LineState, value: ShellWord): void {
  if (value.type === 'open') touch(state, { mode: 'read', word: value });
  else if (!isTimeZone(value.value)) touch(state, { mode: 'read', word: literal(value.value.replace(/^:/, '')) });
}

/** Bash expands the value first, so that code may stand in it. */
function setScript(state: LineState, name: string, value: ShellWord): void {
  state.hide(`${name} is set`);
  touch(state, { mode: 'read', word: value });
  if (value.type !== 'literal' || !/^[\w./-]*$/.test(value.value) || /^\/(?:dev|proc)\//.test(value.value)) {
    state.doubt(`${name} is set to something that is run`);
  }
}

/** A program will read, or write, what the variable names: noted as if the line did it here. */
function touch(state: LineState, file: FoundRedirect): void {
  if (state.full() || (file.word.type === 'literal' && file.word.value === '')) return;
  const how = { ...bareCircumstances, redirects: [file], redirectsOut: file.mode === 'write' };
  const command = new FoundCommand([], nobody, how);
  command.at = state.at;
  state.commands.push(command);
}

const nobody = { name: undefined, program: undefined };

/** `NAME=value`, `NAME+=value` or `NAME` as a word that some program takes as a variable of its shell. */
export function assignWord(state: LineState, word: ShellWord): void {
  if (word.type === 'open') assignOpen(state, word.pieces[0] ?? '');
  else {
    const found = /^([A-Za-z_]\w*)(?:(\+?)=([^]*))?$/.exec(word.value);
    const [, name = '', plus = '', value] = found ?? [];
    if (found === null) assignElement(state, word.value);
    else if (value === undefined) assignUnknown(state, name);
    else {
      if (!isCleanText(value)) state.dirty = true;
      // `declare -a 'x=($(rm))'` runs what stands in the text.
      if (value.startsWith('(') && !isCleanText(value)) state.doubt('a list is made of text that bash expands');
      if (plus !== '') appendText(state, literal(value));
      setVariable(state, name, plus === '' ? literal(value) : unknownValue);
    }
  }
}

function assignOpen(state: LineState, start: string): void {
  const name = /^([A-Za-z_]\w*)\+?=(\(?)/.exec(start);
  if (name === null || name[2] === '(') state.doubt('the name of a variable is not literal');
  else assignUnknown(state, name[1] ?? '');
}

function assignElement(state: LineState, text: string): void {
  state.dirty = true;
  if (/^-?\d*$/.test(text)) return;
  if (/^[A-Za-z_]\w*\[[\w@*]+\](?:\+?=[^[$`]*)?$/.test(text)) {
    setVariable(state, /^\w+/.exec(text)?.[0] ?? '', unknownValue);
    state.evaluates = true;
    return;
  }
  state.unsettle('the name of a variable is not plain');
  if (isCleanText(text)) state.evaluates = true;
  else state.doubt('the name of a variable is evaluated');
}

function isClean(value: Word | ArrayValue): boolean {
  if (value.type === 'ArrayValue') return value.elements.every(isClean);
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
