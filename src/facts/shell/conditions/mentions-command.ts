/** Whether text that may be run could be, or contain, a command (X04). */

import { couldBe, type ShellWord } from '../words/shell-word.ts';

/** Characters that can surround a command name in code of any language. */
const separators = /[\s;&|()<>`$"'={},:/\\[\]!@*?#%^~]+/;

export function textMentionsCommand(text: string, name: string): boolean {
  return text.includes(name) && text.split(separators).includes(name);
}

/** True if the word may be the name, a path to it, or code that contains it. */
export function wordMentionsCommand(word: ShellWord, name: string): boolean {
  if (word.type === 'literal') return textMentionsCommand(word.value, name);
  return (
    couldBe(word, name) ||
    couldEndWith(word, `/${name}`) ||
    word.knownPieces.some((piece) => textMentionsCommand(piece, name))
  );
}

function couldEndWith(word: ShellWord & { type: 'open' }, end: string): boolean {
  const last = word.knownPieces.at(-1) ?? '';
  return last.endsWith(end) || end.endsWith(last);
}
