/** What can be told of the beginning of a word, and words made out of others. */

import { literal, openWord, type OpenWord, type ShellWord } from './shell-word.ts';
import { startOfChoice, withoutStart, type Choice } from './word-choices.ts';

/** The literal beginning of a word; all of it, if it is literal. */
export function prefixOf(word: ShellWord): string {
  return word.type === 'literal' ? word.value : (word.pieces[0] ?? '');
}

/** The word without its first letters, which are literal. */
export function withoutPrefix(word: ShellWord, length: number): ShellWord {
  if (word.type === 'literal') return literal(word.value.slice(length));
  const [first = '', ...rest] = word.pieces;
  const among = withoutStart(word.among, length);
  return { ...word, pieces: [first.slice(length), ...rest], home: undefined, glob: undefined, among };
}

/** Whether a word that is not literal may begin with a dash or a plus. */
export function mayBeOption(word: ShellWord): boolean {
  // What begins with a home folder begins with a slash.
  if (word.type === 'literal' || word.home !== undefined) return false;
  return word.among === undefined ? optionStart.test(prefixOf(word)) : word.among.some(mayStartOption);
}

const optionStart = /^(?:$|[-+])/u;

function mayStartOption(choice: Choice): boolean {
  if (choice.type === 'text') return /^[-+]/u.test(choice.value);
  return optionStart.test(startOfChoice(choice));
}

/** Whether what stands on the disk tells all that the word may be. */
export function isListed({ glob, among }: OpenWord): boolean {
  if (among === undefined) return glob !== undefined;
  return among.every((choice) => choice.type !== 'text' || !mayStartOption(choice));
}

/** Whether a word may become none, or several. */
export function splits(word: ShellWord): boolean {
  return word.type === 'open' && word.splits;
}

/** The word with every match replaced by what nobody knows. */
export function replaceIn(word: ShellWord, pattern: RegExp): ShellWord {
  if (word.type === 'open')
    return {
      ...word,
      pieces: word.pieces.flatMap((piece) => piece.split(pattern)),
      glob: undefined,
      among: undefined,
      pipe: undefined,
      hole: word.hole === true && !word.pieces.some((piece) => pattern.test(piece)),
    };
  const pieces = word.value.split(pattern);
  if (pieces.length === 1) return word;
  // `{/}` of fd is only a part of the name.
  return { ...openWord(pieces, word.text), hole: !/\{[./]+\}/u.test(word.value) };
}

/** A pattern for a text as it stands. */
export function exactly(text: string): RegExp {
  return new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`), 'u');
}

/** The words of a text split at blanks, quotes removed; undefined if it holds more than that. */
export function splitText(text: string): readonly ShellWord[] | undefined {
  if (/[\\$#]/u.test(text)) return undefined;
  const found = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/gu) ?? [];
  if (found.some((word) => word === '"' || word === "'")) return undefined;
  return found.map((word) => literal(word.replaceAll(/"([^"]*)"|'([^']*)'/gu, '$1$2')));
}

/** True of a path that names nothing hidden and leads nowhere but down, as far as its text shows. */
export function staysBelow(word: ShellWord): boolean {
  const text = word.type === 'literal' ? word.value : word.glob;
  return text !== undefined && (text === '.' || !/^[/~]|(?:^|\/)\.(?!\/|\.\.$)/u.test(text.replace(/^\.\//u, '')));
}
