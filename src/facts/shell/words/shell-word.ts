/** The words of a command. */

import type { WordChoice } from './word-choices.ts';

/** A word as the program would get it, or what is known about a word that is not literal. */
export type ShellWord = LiteralWord | OpenWord;

export interface LiteralWord {
  readonly type: 'literal';
  readonly value: string;
  readonly text: string;
}

export interface OpenWord {
  readonly type: 'open';
  /**
   * The known parts of the word, in order, with anything in between. At least two; empty where nothing is known. If the
   * word splits, each resulting word has this form.
   */
  readonly knownPieces: readonly string[];
  /** True: it may become several words, or none. */
  readonly splits: boolean;
  /** As written. */
  readonly text: string;
  /** Set if only a leading `~` or `~/` is unknown: the word including it. */
  readonly home?: string | undefined;
  /** Set if only glob patterns are unknown, so the files on the disk decide. A backslash makes a character literal. */
  readonly glob?: string | undefined;
  /** True: the unknown part is the number of a pipe that bash creates: `<(…)`. */
  readonly pipe?: boolean | undefined;
  /** True: the unknown part is one text that a program inserts, like `{}` in `find`. */
  readonly placeholder?: boolean | undefined;
  /** Each resulting word is one of these. */
  readonly choices?: readonly WordChoice[] | undefined;
}

const noPieces = ['', ''] as const;

export function literal(value: string, text = value): LiteralWord {
  return { type: 'literal', value, text };
}

/** A single word with some known parts. */
export function partlyKnownWord(pieces: readonly string[], text: string): OpenWord {
  return { type: 'open', knownPieces: pieces.length < 2 ? noPieces : pieces, splits: false, text };
}

/** Any number of unknown words. */
export function unknownWords(text = ''): OpenWord {
  return { type: 'open', knownPieces: noPieces, splits: true, text };
}

/** The word as shown in a reason. */
export function displayWord({ text }: ShellWord): string {
  return text === '' ? 'a word that the line does not show' : text;
}

/** False if the word can never be this text. */
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

/** False if the word can never start with this text. */
export function couldStartWith(word: ShellWord, prefix: string): boolean {
  if (word.type === 'literal') return word.value.startsWith(prefix);
  const first = word.knownPieces[0] ?? '';
  return first.startsWith(prefix) || prefix.startsWith(first);
}

/** True for `<(…)` and `>(…)`: bash inserts the path of a pipe, which is not a file. */
export function isPipe(word: ShellWord): boolean {
  return (
    word.type === 'open' && word.pipe === true && word.knownPieces.length === 2 && word.knownPieces[0] === pipeFolder
  );
}

export const pipeFolder = '/dev/fd/';
