/** What setting a variable does to the rest of a line. */

import type { ArrayValue, Word, WordPart } from 'unbash';
import { decodeAnsiC } from './ansi-c.ts';
import type { LineState } from './line-state.ts';
import { readSingleWord } from './read-word.ts';
import { literal, type ShellWord } from './shell-word.ts';
import { isOwnVariable, variableEffect } from './variables.ts';

/** Text that cannot become a subscript with a substitution in it, or set a variable, alone or put together with other text. */
const clean = /^(?![^]*(?:\+\+|--))[^[$`=]*$/;
const numbers = /^\$[?#$!]$|^\$\{#/;

/** A variable gets a value that is written in the line. */
export function assign(state: LineState, name: string, value: Word | ArrayValue | undefined): void {
  if (value !== undefined && !isClean(value)) state.dirty = true;
  if (!isOwnVariable(name)) state.sets ??= name;
  if (variableEffect(name) === undefined) return;
  setVariable(state, name, value?.type === 'Word' ? readSingleWord(value) : unknownValue);
}

/** A variable gets a value that the line does not show. */
export function assignUnknown(state: LineState, name: string): void {
  state.dirty = true;
  setVariable(state, name, unknownValue);
}

const unknownValue: ShellWord = { type: 'open', pieces: ['', ''], splits: false, text: '' };

/** What follows from the name of a variable that is set; `value` as the line shows it. */
export function setVariable(state: LineState, name: string, value: ShellWord): void {
  if (!isOwnVariable(name)) state.sets ??= name;
  const effect = variableEffect(name);
  switch (effect) {
    case undefined:
      break;
    case 'programs':
      state.hide(`${name} is set`);
      break;
    case 'folder':
      state.lose();
      if (name === 'HOME') state.homeSet = true;
      if (name.startsWith('GIT_')) state.hide(`${name} is set`);
      break;
    case 'reading':
      state.doubt(`${name} is set`);
      break;
    case 'code':
      state.hide(`${name} is set`);
      if (value.type === 'literal') state.inShell(true, () => state.runCode(state, value.value));
      else state.doubt(`${name} is set to something that is not literal`);
      break;
    case 'script':
      state.hide(`${name} is set`);
      if (value.type !== 'literal' || !/^[\w./-]*$/.test(value.value) || /^\/(?:dev|proc)\//.test(value.value)) {
        state.doubt(`${name} is set to something that is run`);
      }
      break;
    default:
      effect satisfies never;
  }
}

/** `NAME=value`, `NAME+=value` or `NAME` as a word that some program takes as a variable of its shell. */
export function assignWord(state: LineState, word: ShellWord): void {
  if (word.type === 'open') assignOpen(state, word.pieces[0] ?? '');
  else {
    const found = /^([A-Za-z_]\w*)(?:\+?=([^]*))?$/.exec(word.value);
    const [, name = '', value] = found ?? [];
    if (found === null) assignElement(state, word.value);
    else if (value === undefined) assignUnknown(state, name);
    else {
      if (!clean.test(value)) state.dirty = true;
      // `declare -a 'x=($(rm))'` runs what stands in the text.
      if (value.startsWith('(') && !clean.test(value)) state.doubt('a list is made of text that bash expands');
      setVariable(state, name, literal(value));
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
  } else if (clean.test(text)) state.evaluates = true;
  else state.doubt('the name of a variable is evaluated');
}

function isClean(value: Word | ArrayValue): boolean {
  if (value.type === 'ArrayValue') return value.elements.every(isClean);
  return value.parts === undefined ? clean.test(value.text) : value.parts.every(isCleanPart);
}

function isCleanPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return clean.test(part.value);
    case 'AnsiCQuoted':
      return clean.test(decodeAnsiC(part.text) ?? '$');
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
