/** Inspects words and makes new words from them. */

import { literal, partlyKnownWord, type LiteralWord, type OpenWord, type ShellWord } from './shell-word.ts';
import { knownStart, dropStart, type WordChoice } from './word-choices.ts';

/** The literal start of a word; all of it, if it is literal. */
export function prefixOf(word: ShellWord): string {
  return word.type === 'literal' ? word.value : (word.knownPieces[0] ?? '');
}

/** The word without its first characters, which are literal. */
export function withoutPrefix(word: ShellWord, length: number): ShellWord {
  if (word.type === 'literal') return literal(word.value.slice(length));
  const [first = '', ...rest] = word.knownPieces;
  const choices = dropStart(word.choices, length);
  return { ...word, knownPieces: [first.slice(length), ...rest], home: undefined, glob: undefined, choices };
}

/** Whether a word that is not literal may start with a dash or a plus. */
export function couldBeOption(word: ShellWord): boolean {
  // A home folder starts with a slash.
  if (word.type === 'literal' || word.home !== undefined) return false;
  return word.choices === undefined ? optionStart.test(prefixOf(word)) : word.choices.some(couldStartOption);
}

const optionStart = /^(?:$|[-+])/u;

function couldStartOption(choice: WordChoice): boolean {
  if (choice.type === 'text') return /^[-+]/u.test(choice.value);
  return optionStart.test(knownStart(choice));
}

/** Whether the files on the disk decide everything that the word may be. */
export function isKnownByDisk({ glob, choices }: OpenWord): boolean {
  if (choices === undefined) return glob !== undefined;
  return choices.every((choice) => choice.type !== 'text' || !couldStartOption(choice));
}

/** Whether a word may become several words, or none. */
export function maySplit(word: ShellWord): boolean {
  return word.type === 'open' && word.splits;
}

/** The word with every match replaced by an unknown text. */
export function replaceWithUnknown(word: ShellWord, pattern: RegExp): ShellWord {
  if (word.type === 'open')
    return {
      ...word,
      knownPieces: word.knownPieces.flatMap((piece) => piece.split(pattern)),
      glob: undefined,
      choices: undefined,
      pipe: undefined,
      placeholder: word.placeholder === true && !word.knownPieces.some((piece) => pattern.test(piece)),
    };
  const pieces = word.value.split(pattern);
  if (pieces.length === 1) return word;
  // `{/}` in fd inserts only part of the name.
  return { ...partlyKnownWord(pieces, word.text), placeholder: !/\{[./]+\}/u.test(word.value) };
}

/** A pattern that matches exactly this text. */
export function literalPattern(text: string): RegExp {
  return new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`), 'u');
}

/** The words of a text, split at whitespace, without quotes. Undefined if it contains anything else. */
export function splitText(text: string): readonly ShellWord[] | undefined {
  if (/[\\$#]/u.test(text)) return undefined;
  const found = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/gu) ?? [];
  if (found.some((word) => word === '"' || word === "'")) return undefined;
  return found.map((word) => literal(word.replaceAll(/"([^"]*)"|'([^']*)'/gu, '$1$2')));
}

/** True for a path that stays below its folder and names nothing hidden, as far as its text shows. */
export function staysBelow(word: ShellWord): boolean {
  const text = word.type === 'literal' ? word.value : word.glob;
  return text !== undefined && (text === '.' || !/^[/~]|(?:^|\/)\.(?!\/|\.\.$)/u.test(text.replace(/^\.\//u, '')));
}

/** What may be a path within a word whose use is unknown: `body=@file`, `type=bind,src=file`, `file:/inside`. */
export function wordsIn(word: ShellWord): readonly LiteralWord[] {
  if (word.type === 'open' || !/[=@,:]/u.test(word.value) || /^[\w+.-]*:\/\//u.test(word.value)) return [];
  const parts = word.value.split(/[@,:]/u).flatMap((part) => (part.includes('=') ? part.split('=').slice(1) : [part]));
  return parts.filter((part) => part !== '').map((part) => literal(part, word.text));
}

/** Only an unquoted `~` is a home folder. */
export function literalPath(value: string): string {
  return value.startsWith('~') ? `./${value}` : value;
}
