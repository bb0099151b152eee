/** The words of a command. */

import type { WordChoice } from './word-choices.ts';

/** A word as the program would get it, or what is known of one that is not literal. */
export type ShellWord = LiteralWord | OpenWord;

export interface LiteralWord {
  readonly type: 'literal';
  readonly value: string;
  readonly text: string;
}

export interface OpenWord {
  readonly type: 'open';
  /**
   * The word is the first piece, then anything, then the second, and so on to the end of the last: at least two, and
   * empty where nothing is known. If it splits, each word it becomes is of that form.
   */
  readonly knownPieces: readonly string[];
  /** True: it may be several words, or none. */
  readonly splits: boolean;
  /** As written. */
  readonly text: string;
  /** Open only for a leading `~` or `~/`: the word with it. */
  readonly home?: string | undefined;
  /** Open only for patterns of file names: what stands on the disk tells the words. In a glob, `\\` makes a letter literal. */
  readonly glob?: string | undefined;
  /** True: what is open ends with the number of a pipe that bash makes: `<(…)`. */
  readonly pipe?: boolean | undefined;
  /** True: what is open is one thing that a program puts there, as `find` does for `{}`. */
  readonly placeholder?: boolean | undefined;
  /** Each word it becomes is one of these. */
  readonly choices?: readonly WordChoice[] | undefined;
}

const noPieces = ['', ''] as const;

export function literal(value: string, text = value): LiteralWord {
  return { type: 'literal', value, text };
}

/** A single word of which some stretches are known. */
export function partlyKnownWord(pieces: readonly string[], text: string): OpenWord {
  return { type: 'open', knownPieces: pieces.length < 2 ? noPieces : pieces, splits: false, text };
}

/** Any number of words of which nothing is known. */
export function unknownWords(text = ''): OpenWord {
  return { type: 'open', knownPieces: noPieces, splits: true, text };
}

/** The word as a reason shows it. */
export function displayWord({ text }: ShellWord): string {
  return text === '' ? 'a word that the line does not show' : text;
}

/** True unless the word can never be this text. */
export function couldBe(word: ShellWord, text: string): boolean {
  if (word.type === 'literal') return word.value === text;
  if (word.choices?.every(({ type }) => type === 'text') === true)
    return word.choices.some((choice) => choice.type === 'text' && choice.value === text);
  const [first = '', ...rest] = word.knownPieces;
  const last = rest.pop() ?? '';
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** True unless the word can never start with this text. */
export function couldStartWith(word: ShellWord, prefix: string): boolean {
  if (word.type === 'literal') return word.value.startsWith(prefix);
  const first = word.knownPieces[0] ?? '';
  return first.startsWith(prefix) || prefix.startsWith(first);
}

/** True of `<(…)` and `>(…)`: bash puts the path of a pipe there, and no file stands behind it. */
export function isPipe(word: ShellWord): boolean {
  return (
    word.type === 'open' && word.pipe === true && word.knownPieces.length === 2 && word.knownPieces[0] === pipeFolder
  );
}

export const pipeFolder = '/dev/fd/';
