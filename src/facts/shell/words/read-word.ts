/** Turns a word of the syntax tree into the words that a program would get. */

import type { DoubleQuotedChild, GlobPart, ParameterExpansionPart, SimpleExpansionPart, Word, WordPart } from 'unbash';
import { decodeAnsiC } from './decode-ansi-c.ts';
import { expandWordBraces } from '../../expand-braces.ts';
import { literalValue } from './plain-word.ts';
import { unknownWords, literal, partlyKnownWord, pipeFolder, type ShellWord } from './shell-word.ts';
import { partialOutputKey, type KnownValue, type KnownValues } from './known-values.ts';
import { expandVariable } from './expand-variable.ts';
import {
  escapeGlob,
  costOfChoices,
  maxWordLength,
  appendChoices,
  appendPattern,
  appendText,
  type WordChoice,
} from './word-choices.ts';

/** An unquoted `~` that bash may expand: at the start, and in what looks like an assignment. */
const tilde = /(?:^|[=:])(?:\\\n)*~/;
/** Braces that bash may expand although the parser does not. */
/** Excludes words like `@{u}..`, in which all braces are literal. */
const braces = /^(?!(?:[^{}]|\{(?:(?!\.\.)[^{},])*\})*$)(?:.*[^\\$])?\{.*(?:,|\.\.)/s;

/** Appends the words that this word expands to. `values`: the variables known at this point. */
export function readWord(word: Word, into: ShellWord[], values?: KnownValues): void {
  const { text } = word;
  const value = literalValue(text);
  if (value !== undefined) {
    into.push({ type: 'literal', value, text });
    return;
  }
  const { parts } = word;
  if (parts === undefined) {
    into.push(unquotedWord(word));
    return;
  }
  if (parts.some((part) => part.type === 'BraceExpansion')) {
    const words = expandWordBraces(text);
    if (words === undefined) into.push(unknownWords(text));
    else for (const value of words) into.push(literal(value, text));
  } else if (values !== undefined && parts.length === 1 && parts[0]?.type === 'CommandExpansion') {
    readOutput(parts[0].text, into, values);
  } else {
    const made = new WordBuilder(text, values).addAll(parts).word();
    if (made !== undefined) into.push(made);
  }
}

/** Appends the words that a command substitution expands to. */
function readOutput(text: string, into: ShellWord[], values: KnownValues): void {
  const exact = values.get(text);
  if (exact === undefined) into.push({ ...unknownWords(text), choices: values.get(partialOutputKey(text)) });
  else for (const choice of exact) into.push(choice.type === 'text' ? literal(choice.value, text) : unknownWords(text));
}

/** Reads a word that bash neither splits nor expands by braces and patterns: an assigned value, a here-string. */
export function readSingleWord(word: Word, known?: KnownValues): ShellWord {
  const value = literalValue(word.text);
  if (value !== undefined) return { type: 'literal', value, text: word.text };
  const words: ShellWord[] = [];
  // Some of these positions expand braces, others do not.
  if (word.parts?.some(({ type }) => type === 'BraceExpansion') !== true) readWord(word, words, known);
  const [only] = words;
  if (only === undefined) return partlyKnownWord([], word.text);
  return only.type === 'open' && only.splits ? { ...only, splits: false, glob: undefined, choices: undefined } : only;
}

function unquotedWord(word: Word): ShellWord {
  const { text } = word;
  // Braces come first: the word may become several, each with its own `~`.
  if (braces.test(text)) return unknownWords(text);
  return tilde.test(text) ? fromHome(word.value, text) : literal(word.value, text);
}

/** The text before the first `~`, then an unknown home folder, then the text from the next slash. */
function fromHome(value: string, text: string): ShellWord {
  const at = value.search(/(?<=^|[=:])~/);
  const slash = value.indexOf('/', at);
  const rest = slash === -1 ? '' : value.slice(slash);
  // A `~` before quotes or a line continuation stays literal.
  const home = /^~(?:\/|$)/.test(text) && !/[=:]~/.test(value) ? value : undefined;
  // A later `~` may be expanded too.
  const pieces = /[=:]~/.test(rest) ? ['', ''] : [value.slice(0, Math.max(at, 0)), rest];
  return { type: 'open', knownPieces: pieces, splits: false, text, home };
}

class WordBuilder {
  private readonly text: string;
  private readonly pieces = [''];
  private splits = false;
  /** True: it may split in the middle, so nothing is known about each word. */
  private splitsInside = false;
  private hasTilde = false;
  private hasPipe = false;
  /** The word as a glob pattern, while everything else in it is known. */
  private glob: string | undefined = '';
  /** The texts it may be so far, after a variable with several possible values. */
  private choices: readonly WordChoice[] | undefined;
  /** The unquoted text. Braces around variables are still expanded. */
  private unquotedText = '';
  /** True: it contains the value of a variable. */
  private hasVariable = false;
  /** False while it contains only empty unquoted variables: bash makes no word of those. */
  private present = false;

  constructor(
    text: string,
    private readonly values: KnownValues | undefined,
  ) {
    this.text = text;
  }

  addAll(parts: readonly WordPart[]): this {
    for (const part of parts) this.add(part);
    return this;
  }

  /** Undefined if bash makes no word of it. */
  word(): ShellWord | undefined {
    const { pieces, splits, text, choices } = this;
    if (this.hasVariable && braces.test(this.unquotedText)) return unknownWords(text);
    if (this.hasTilde) {
      const value = pieces.join('');
      return pieces.length === 1 ? fromHome(value, text) : { type: 'open', knownPieces: ['', ''], splits, text };
    }
    if (pieces.length === 1) return this.present ? literal(pieces[0] ?? '', text) : undefined;
    const pipe = this.hasPipe && pieces.length === 2 && pieces[1] === '' ? true : undefined;
    return {
      type: 'open',
      knownPieces: this.splitsInside ? ['', ''] : pieces,
      splits,
      text,
      glob: this.glob,
      pipe,
      choices,
    };
  }

  private add(part: WordPart): void {
    this.present ||= part.type !== 'SimpleExpansion' && part.type !== 'ParameterExpansion';
    if (this.values !== undefined) this.unquotedText += part.type === 'Literal' ? part.text : ' ';
    switch (part.type) {
      case 'Literal':
        if (tilde.test(part.text)) this.hasTilde = true;
        if (braces.test(part.text)) this.addUnknown('loose');
        this.addText(part.value);
        break;
      case 'SingleQuoted':
        this.addText(part.value);
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
        this.addUnknown('splits');
        break;
      case 'ProcessSubstitution':
        this.addText(pipeFolder);
        this.addUnknown('single');
        this.hasPipe = true;
        break;
      case 'LocaleString':
        this.addUnknown('single');
        break;
      case 'SimpleExpansion':
      case 'ParameterExpansion':
        this.addVariable(part, false);
        break;
      default:
        this.addUnknown('loose');
    }
  }

  private addVariable(part: SimpleExpansionPart | ParameterExpansionPart, quoted: boolean): void {
    const value = this.values === undefined ? undefined : expandVariable(part, this.values, quoted);
    this.hasVariable ||= value !== undefined;
    if (value !== undefined) this.fill(value, quoted);
    // "$@" and similar variables become several words despite the quotes, and an indirect name may be one of them.
    else this.addUnknown(!quoted || /^\$\{!|@/.test(part.text) ? 'loose' : 'single');
  }

  private fill(value: KnownValue | { readonly pattern: string }, quoted: boolean): void {
    if ('pattern' in value) return this.addPattern(value.pattern);
    const [only] = value;
    if (value.length === 1 && only?.type === 'text') {
      this.present ||= quoted || only.value !== '';
      const isLong = this.pieces.reduce((sum, { length }) => sum + length, only.value.length) > maxWordLength;
      return isLong ? this.addUnknown('loose') : this.addText(only.value);
    }
    this.present = true;
    const before = this.choices ?? this.only();
    const names = value.some(({ type }) => type === 'name');
    this.addUnknown(names && !quoted ? 'loose' : 'single');
    const choices = before === undefined ? undefined : appendChoices(before, value);
    this.choices = choices === undefined || costOfChoices(choices) === undefined ? undefined : choices;
  }

  /** The word so far as its only choice. */
  private only(): readonly WordChoice[] | undefined {
    if (this.pieces.length === 1) return [{ type: 'text', value: this.pieces[0] ?? '' }];
    return this.glob === undefined ? undefined : [{ type: 'glob', glob: this.glob }];
  }

  private addDecoded(text: string | undefined): void {
    if (text === undefined) this.addUnknown('single');
    else this.addText(text);
  }

  private addQuoted(part: DoubleQuotedChild): void {
    if (part.type === 'Literal') this.addText(part.value);
    else if (part.type === 'CommandExpansion' || part.type === 'ArithmeticExpansion') this.addUnknown('single');
    else this.addVariable(part, true);
  }

  /**
   * Which characters a bracket pattern matches depends on the locale, and a pattern without matches stays as it is. So
   * brackets stay unknown.
   */
  private addGlob({ kind, text }: GlobPart): void {
    if (kind === 'bracket') this.addUnknown('splits');
    else this.addPattern(text);
  }

  private addPattern(text: string): void {
    const { glob, choices } = this;
    this.present = true;
    this.addUnknown('splits');
    if (glob !== undefined) this.glob = glob + text;
    if (choices !== undefined) this.choices = appendPattern(choices, text);
  }

  private addText(text: string): void {
    this.pieces[this.pieces.length - 1] += text;
    if (this.glob !== undefined) this.glob += escapeGlob(text);
    if (this.choices === undefined) return;
    const choices = appendText(this.choices, text);
    this.choices = costOfChoices(choices) === undefined ? undefined : choices;
  }

  private addUnknown(kind: 'single' | 'splits' | 'loose'): void {
    this.pieces.push('');
    this.glob = undefined;
    this.choices = undefined;
    if (kind !== 'single') this.splits = true;
    if (kind === 'loose') this.splitsInside = true;
  }
}
