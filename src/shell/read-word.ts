/** A word of the syntax tree as the words a program would get. */

import type { DoubleQuotedChild, GlobPart, Word, WordPart } from 'unbash';
import { decodeAnsiC } from './ansi-c.ts';
import { expandBraces } from './brace-expansion.ts';
import { literalValue } from './plain-word.ts';
import { anything, literal, openWord, type ShellWord } from './shell-word.ts';

/** An unquoted `~` where bash may put a home folder: at the start, and in what looks like an assignment. */
const tilde = /(?:^|[=:])(?:\\\n)*~/;
/** Braces that bash might expand though the parser does not think so. */
/** Not `@{u}..`: braces that stand for themselves, if all of the word's are such. */
const braces = /^(?!(?:[^{}]|\{(?:(?!\.\.)[^{},])*\})*$)(?:.*[^\\$])?\{.*(?:,|\.\.)/s;

/** What has a meaning in a glob. */
const special = /[*?[\]\\{}]/;
const specials = /[*?[\]\\{}]/g;

/** Adds what the word becomes. */
export function readWord(word: Word, into: ShellWord[]): void {
  const { text } = word;
  const value = literalValue(text);
  if (value !== undefined) {
    into.push({ type: 'literal', value, text });
    return;
  }
  const { parts } = word;
  if (parts === undefined) {
    into.push(bareWord(word));
    return;
  }
  if (parts.some((part) => part.type === 'BraceExpansion')) {
    const words = expandBraces(text);
    if (words === undefined) into.push(anything(text));
    else for (const value of words) into.push(literal(value, text));
  } else {
    into.push(new Pieces(text).addAll(parts).word());
  }
}

/** A word where bash neither splits nor expands braces and patterns: the value of an assignment, a here-string. */
export function readSingleWord(word: Word): ShellWord {
  const value = literalValue(word.text);
  if (value !== undefined) return { type: 'literal', value, text: word.text };
  const words: ShellWord[] = [];
  // Some of these places keep braces as they are, and some expand them.
  if (word.parts?.some(({ type }) => type === 'BraceExpansion') !== true) readWord(word, words);
  const [only] = words;
  if (only === undefined) return openWord([], word.text);
  return only.type === 'open' && only.splits ? { ...only, splits: false, glob: undefined } : only;
}

function bareWord(word: Word): ShellWord {
  const { text } = word;
  // Braces come first: one word may become several, each with a `~` of its own.
  if (braces.test(text)) return anything(text);
  return tilde.test(text) ? fromHome(word.value, text) : literal(word.value, text);
}

/** The value up to its first `~`, any home folder, and on from the next slash. */
function fromHome(value: string, text: string): ShellWord {
  const at = value.search(/(?<=^|[=:])~/);
  const slash = value.indexOf('/', at);
  const rest = slash === -1 ? '' : value.slice(slash);
  // Quotes, and lines that are joined, keep a `~` before them as it is.
  const home = /^~(?:\/|$)/.test(text) && !/[=:]~/.test(value) ? value : undefined;
  // A second `~` further on may be opened too.
  const pieces = /[=:]~/.test(rest) ? ['', ''] : [value.slice(0, Math.max(at, 0)), rest];
  return { type: 'open', pieces, splits: false, text, home };
}

class Pieces {
  private readonly text: string;
  private readonly pieces = [''];
  private splits = false;
  /** True: it may split inside, so that nothing is known of each word. */
  private loose = false;
  private home = false;
  /** The word as a pattern, as long as nothing else in it is open. */
  private glob: string | undefined = '';

  constructor(text: string) {
    this.text = text;
  }

  addAll(parts: readonly WordPart[]): this {
    for (const part of parts) this.add(part);
    return this;
  }

  word(): ShellWord {
    const { pieces, splits, text } = this;
    if (this.home) {
      const value = pieces.join('');
      return pieces.length === 1 ? fromHome(value, text) : { type: 'open', pieces: ['', ''], splits, text };
    }
    if (pieces.length === 1) return literal(pieces[0] ?? '', text);
    return { type: 'open', pieces: this.loose ? ['', ''] : pieces, splits, text, glob: this.glob };
  }

  private add(part: WordPart): void {
    switch (part.type) {
      case 'Literal':
        if (tilde.test(part.text)) this.home = true;
        if (braces.test(part.text)) this.gap('loose');
        this.put(part.value);
        break;
      case 'SingleQuoted':
        this.put(part.value);
        break;
      case 'AnsiCQuoted':
        this.addDecoded(decodeAnsiC(part.text));
        break;
      case 'DoubleQuoted':
        for (const child of part.parts) this.addQuoted(child);
        break;
      case 'Glob':
        this.addGlob(part);
        break;
      case 'ExtendedGlob':
        this.gap('splits');
        break;
      case 'ProcessSubstitution':
        this.put('/dev/fd/');
        this.gap('single');
        break;
      case 'LocaleString':
        this.gap('single');
        break;
      default:
        this.gap('loose');
    }
  }

  private addDecoded(text: string | undefined): void {
    if (text === undefined) this.gap('single');
    else this.put(text);
  }

  private addQuoted(part: DoubleQuotedChild): void {
    if (part.type === 'Literal') this.put(part.value);
    // "$@" and its kin are several words in spite of the quotes; an indirect name may be one of them.
    else if (part.type === 'CommandExpansion' || part.type === 'ArithmeticExpansion') this.gap('single');
    else this.gap(/^\$\{!|@/.test(part.text) ? 'loose' : 'single');
  }

  /** Which letters brackets mean depends on the locale, and what matches nothing stays as it is: those stay open. */
  private addGlob({ kind, text }: GlobPart): void {
    const before = this.glob;
    this.gap('splits');
    if (kind !== 'bracket' && before !== undefined) this.glob = before + text;
  }

  private put(text: string): void {
    this.pieces[this.pieces.length - 1] += text;
    if (this.glob !== undefined) this.glob += special.test(text) ? text.replaceAll(specials, String.raw`\$&`) : text;
  }

  private gap(kind: 'single' | 'splits' | 'loose'): void {
    this.pieces.push('');
    this.glob = undefined;
    if (kind !== 'single') this.splits = true;
    if (kind === 'loose') this.loose = true;
  }
}
