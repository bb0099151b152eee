/** Replaces embedded code in the arguments by the files and commands that a scan finds in it. */

import type { ArgumentPart, OperandPart } from '../usage/program.ts';
import type { ArgumentReader } from './argument-reader.ts';
import type { CodeScan, CodeUse } from '../embedded-code/code-scan.ts';
import { unknownWords, literal, type ShellWord } from '../words/shell-word.ts';

/** All code arguments of a command form one program: `sed -e 'a\' -e 'text'`. */
export function scanCodeArguments(reader: ArgumentReader, scan: CodeScan): void {
  const at = Array.from(reader.parts.keys()).filter((index) => isCode(reader.parts[index]));
  const words = at.map((index) => codeWord(reader.parts[index]));
  if (words.length === 0 || words.some((word) => word?.type !== 'literal')) return;
  // Code in a file may start or end in the middle of a command.
  const isWhole = !reader.parts.some((part) => 'role' in part && part.role === 'script');
  const code = words.map((word) => (word?.type === 'literal' ? word.value : '')).join('\n');
  const uses = isWhole ? scan(code) : undefined;
  if (uses === undefined) {
    reader.unsure ??= 'embedded code may use any file';
    return;
  }
  reader.scanned = true;
  for (const index of at) {
    const part = reader.parts[index];
    if (part?.type === 'operand' || part?.type === 'option')
      reader.parts[index] = { ...part, role: 'text', harmless: uses.length === 0 };
  }
  reader.parts.push(...uses.map(partOfUse));
}

function isCode(part: ArgumentPart | undefined): boolean {
  return (part?.type === 'operand' || part?.type === 'option') && part.role === 'foreign';
}

function codeWord(part: ArgumentPart | undefined): ShellWord | undefined {
  if (part?.type === 'operand') return part.word;
  return part?.type === 'option' ? part.value : undefined;
}

/** Turns a file or command that the code uses into an argument part. */
export function partOfUse(use: CodeUse): ArgumentPart {
  if (use.role === 'code') return { type: 'code', words: [wordOf(use)] };
  return filePart(use, use.role);
}

function filePart(use: CodeUse, role: 'reads' | 'writes'): OperandPart {
  return { type: 'operand', word: wordOf(use), role, harmless: false, reach: 'itself' };
}

function wordOf({ text }: CodeUse): ShellWord {
  return text === undefined ? { ...unknownWords(), splits: false } : literal(text);
}
