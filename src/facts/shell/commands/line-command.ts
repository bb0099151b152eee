/** One command of a line. Its words and their meaning are computed on first access, because few callers need them. */

import type { Assignment, Command } from 'unbash';
import type { ShellCommand } from './command-analysis.ts';
import { quickScan, quickScanWords, type QuickScanResult } from '../arguments/quick-scan.ts';
import { isLiteral } from '../words/plain-word.ts';
import type { ArgumentPart, Program, ParsedArguments } from '../usage/program.ts';
import { readArguments } from '../arguments/read-arguments.ts';
import { readSingleWord, readWord } from '../words/read-word.ts';
import { unknownWords, literal, partlyKnownWord, type ShellWord } from '../words/shell-word.ts';
import type { KnownValues } from '../words/known-values.ts';
import { lineStart, type ShellLocation } from './shell-location.ts';

export interface FileRedirect {
  readonly mode: 'read' | 'write' | 'either';
  readonly word: ShellWord;
  /** True: files inside that folder, with names that the line does not show. */
  readonly insideFolder?: boolean;
}

/** The context in which a command starts, apart from its words. */
export interface StartContext {
  readonly more: boolean;
  readonly assignments: readonly string[];
  readonly redirects: readonly FileRedirect[];
  readonly redirectsOut: boolean;
  readonly via: readonly string[];
}

const nothing: readonly never[] = [];
export const plainStart: StartContext = {
  more: false,
  assignments: nothing,
  redirects: nothing,
  redirectsOut: false,
  via: nothing,
};

/**
 * Greater than any position in a line: which commands run earlier is not known, and the command may run more than once.
 */
export const unordered = 1_000_000;

export class LineCommand implements ShellCommand {
  /** The base name of the program. Undefined if it is not known or nothing is started. */
  readonly name: string | undefined;
  readonly program: Program | undefined;
  readonly more: boolean;
  readonly assignments: readonly string[];
  readonly redirects: readonly FileRedirect[];
  readonly redirectsOut: boolean;
  readonly via: readonly string[];
  /** True: it reads its code from a pipe, so on its own it would run something else. */
  readsCodeFromPipe = false;
  /** True: the line does not show what it does. */
  hidesWork = false;
  /** What the code on its standard input uses. `unknown` if the scan cannot tell. */
  input: readonly ArgumentPart[] | 'unknown' = nothing;
  /** The folder in which it starts. */
  location: ShellLocation = lineStart;
  /** How many commands may have run before it; `unordered` if they do not run one after another. */
  order = 0;
  /** The parsed command, if its words have not been read yet. Its name is plain. */
  private readonly node: Command | undefined;
  /** True: all its words are plain. */
  isPlain = false;
  /** The variables that are known at this command. */
  values: KnownValues | undefined;
  private words: readonly ShellWord[] | undefined;
  private parsedCache: ParsedArguments | undefined;

  constructor(words: readonly ShellWord[] | Command, program: NamedProgram, how: StartContext) {
    this.node = 'suffix' in words ? words : undefined;
    this.words = 'suffix' in words ? undefined : words;
    this.name = program.name;
    this.program = program.program;
    this.more = how.more;
    this.assignments = how.assignments;
    this.redirects = how.redirects;
    this.redirectsOut = how.redirectsOut;
    this.via = how.via;
  }

  get argv(): readonly ShellWord[] {
    this.words ??= this.node === undefined ? nothing : wordsOfCommand(this.node, this.values);
    return this.words;
  }

  /** The first word, unless it is known not to be a path. */
  get path(): ShellWord | undefined {
    const text = this.node?.name?.text;
    return text !== undefined && !text.includes('/') ? undefined : this.argv[0];
  }

  /** The first word, if it is literal. */
  get firstWord(): string | undefined {
    const text = this.node?.name?.text;
    if (text !== undefined) return text;
    const [first] = this.argv;
    return first?.type === 'literal' ? first.value : undefined;
  }

  /** False if no word after the first can be or contain this name. */
  couldName(name: string): boolean {
    if (this.more) return true;
    if (this.node === undefined) {
      return this.argv.some((word, index) => index > 0 && (word.type === 'open' || couldHold(word.value, name)));
    }
    return this.node.suffix.some((item) =>
      item.type === 'Word' ? !isLiteral(item.text) || couldHold(item.text, name, 1) : item.type === 'Assignment',
    );
  }

  /** What is known about its arguments without parsing them. */
  quickScan(): QuickScanResult {
    if (this.program === undefined || this.more) return 'undecided';
    // A quick scan sees only the name of a variable.
    if (this.values !== undefined && !this.isPlain) return 'undecided';
    return this.node === undefined
      ? quickScanWords(this.program, this.argv)
      : quickScan(this.program, this.node.suffix, this.isPlain);
  }

  /** This command, once for each text that its words may stand for. Only itself if there is no choice. */
  get variants(): readonly LineCommand[] {
    return this.hasVariants ? this.expandVariants() : [this];
  }

  get hasVariants(): boolean {
    if (this.node !== undefined && this.values === undefined) return false;
    return this.argv.some((word) => textsOf(word) !== undefined);
  }

  private expandVariants(): readonly LineCommand[] {
    let all: readonly (readonly ShellWord[])[] = [[]];
    for (const word of this.argv) {
      const texts = textsOf(word) ?? [word];
      // Beyond the limit, the word counts as unknown.
      const taken = all.length * texts.length > maxVariants ? [partlyKnownWord([], word.text)] : texts;
      all = all.flatMap((words) => taken.map((text) => [...words, text]));
    }
    return all.map((argv) => {
      const made = new LineCommand(argv, this, this);
      made.location = this.location;
      made.order = this.order;
      made.input = this.input;
      return made;
    });
  }

  /** The meaning of its arguments. Undefined for an unlisted program. */
  get parsed(): ParsedArguments | undefined {
    if (this.program === undefined) return undefined;
    if (this.parsedCache !== undefined) return this.parsedCache;
    const words = this.more ? [...this.argv, unknownWords()] : this.argv;
    this.parsedCache = readArguments(this.program, words, 1);
    return this.parsedCache;
  }
}

const maxVariants = 128;
/** Limits the words of a line that come from braces. */
const maxWords = 1000;

/** The texts that a single word may stand for. */
function textsOf(word: ShellWord): readonly ShellWord[] | undefined {
  if (word.type === 'literal' || word.splits || word.choices === undefined) return undefined;
  const texts = word.choices.flatMap((choice) => (choice.type === 'text' ? [literal(choice.value, word.text)] : []));
  return texts.length === word.choices.length ? texts : undefined;
}

/** Some programs remove quotes that are left in a word, for example `env -S`. */
function couldHold(text: string, name: string, from = 0): boolean {
  if (text.includes(name)) return true;
  return /["'\\]/.test(from === 0 ? text : text.slice(from, -from));
}

export interface NamedProgram {
  readonly name: string | undefined;
  readonly program: Program | undefined;
}

/** The words of a simple command, its name first. A name that comes from a variable is not literal (X04). */
export function wordsOfCommand(node: Command, values: KnownValues | undefined): readonly ShellWord[] {
  const words: ShellWord[] = [];
  if (node.name !== undefined) readWord(node.name, words);
  for (const item of node.suffix) {
    // Braces that would produce even more words stay unexpanded.
    if (item.type === 'Word' && words.length > maxWords && item.text.includes('{')) words.push(unknownWords(item.text));
    else if (item.type === 'Word') readWord(item, words, values);
    else if (item.type === 'Assignment') words.push(declaredWord(item, values));
  }
  return words;
}

/** `declare x=y`: bash passes one word, regardless of the value. */
function declaredWord({ text, name, value, index }: Assignment, values: KnownValues | undefined): ShellWord {
  if (value.type === 'Word' && index === undefined) {
    if (value.text === '') return literal(`${name}=`, text);
    const only = readSingleWord(value, values);
    if (only.type === 'literal') return literal(`${name}=${only.value}`, text);
  }
  return { type: 'open', knownPieces: [`${name}=`, ''], splits: false, text };
}
