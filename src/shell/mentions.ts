/** Whether text that something may run could be, or hold, a command (X04). */

import { couldBe, type ShellWord } from './shell-word.ts';

/** What can stand around the name of a command in code of any language. */
const separators = /[\s;&|()<>`$"'={},:/\\[\]!@*?#%^~]+/;

export function textMentions(text: string, name: string): boolean {
  return text.includes(name) && text.split(separators).includes(name);
}

/** True for a word that may be the name, a path to it, or code that holds it. */
export function wordMentions(word: ShellWord, name: string): boolean {
  if (word.type === 'literal') return textMentions(word.value, name);
  return (
    couldBe(word, name) || couldEndWith(word, `/${name}`) || word.pieces.some((piece) => textMentions(piece, name))
  );
}

function couldEndWith(word: ShellWord & { type: 'open' }, end: string): boolean {
  const last = word.pieces.at(-1) ?? '';
  return last.endsWith(end) || end.endsWith(last);
}
