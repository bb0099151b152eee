/** One command of a line. What few ask for, its words and their meaning, is worked out when it is asked for. */

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
  /** True: files in that folder, under names that the line does not show. */
  readonly insideFolder?: boolean;
}

/** What a command is started with beside its words. */
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

/** More commands than a line may have: what runs before is not known, and a command may run more than once. */
export const unordered = 1_000_000;

export class LineCommand implements ShellCommand {
  /** The base name of the program; undefined where it is not known, or nothing is started. */
  readonly name: string | undefined;
  readonly program: Program | undefined;
  readonly more: boolean;
  readonly assignments: readonly string[];
  readonly redirects: readonly FileRedirect[];
  readonly redirectsOut: boolean;
  readonly via: readonly string[];
  /** True: it reads its code from a pipe, so that alone it would run something else. */
  readsCodeFromPipe = false;
  /** True: what it does is not shown by the line. */
  hidesWork = false;
  /** What the code on its standard input uses; `unseen` if a scan cannot tell. */
  input: readonly ArgumentPart[] | 'unseen' = nothing;
  /** Where it is started. */
  location: ShellLocation = lineStart;
  /** How many commands may have run before it; any number, if they do not run one after another. */
  order = 0;
  /** Where the words stand if they have not been read; its name is plain. */
  private readonly node: Command | undefined;
  /** True: all those words are plain. */
  isPlain = false;
  /** The variables that are known where they stand. */
  values: KnownValues | undefined;
  private words: readonly ShellWord[] | undefined;
  private parsed: ParsedArguments | undefined;

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

  /** False if no word after the first can be or hold this name. */
  couldName(name: string): boolean {
    if (this.more) return true;
    if (this.node === undefined) {
      return this.argv.some((word, index) => index > 0 && (word.type === 'open' || couldHold(word.value, name)));
    }
    return this.node.suffix.some((item) =>
      item.type === 'Word' ? !isLiteral(item.text) || couldHold(item.text, name, 1) : item.type === 'Assignment',
    );
  }

  /** What can be seen of its arguments without reading them. */
  quickScan(): QuickScanResult {
    if (this.program === undefined || this.more) return 'unseen';
    // What is seen of a variable is only its name.
    if (this.values !== undefined && !this.isPlain) return 'unseen';
    return this.node === undefined
      ? quickScanWords(this.program, this.argv)
      : quickScan(this.program, this.node.suffix, this.isPlain);
  }

  /** The same command once for each of the texts that its words may be; itself, where there is nothing to choose. */
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
      // Beyond this nothing is known of the word.
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

  /** What its arguments mean; undefined for a program that is not listed. */
  get parsedArguments(): ParsedArguments | undefined {
    if (this.program === undefined) return undefined;
    if (this.parsed !== undefined) return this.parsed;
    const words = this.more ? [...this.argv, unknownWords()] : this.argv;
    this.parsed = readArguments(this.program, words, 1);
    return this.parsed;
  }
}

const maxVariants = 128;
/** More files than this of one line are not looked at. */
const maxWords = 1000;

/** The texts that a single word is one of. */
function textsOf(word: ShellWord): readonly ShellWord[] | undefined {
  if (word.type === 'literal' || word.splits || word.choices === undefined) return undefined;
  const texts = word.choices.flatMap((choice) => (choice.type === 'text' ? [literal(choice.value, word.text)] : []));
  return texts.length === word.choices.length ? texts : undefined;
}

/** Where quotes are left in a word, some programs take them out: `env -S`. */
function couldHold(text: string, name: string, from = 0): boolean {
  if (text.includes(name)) return true;
  return /["'\\]/.test(from === 0 ? text : text.slice(from, -from));
}

export interface NamedProgram {
  readonly name: string | undefined;
  readonly program: Program | undefined;
}

/** The words of a simple command, its name first: a name that stands in a variable is not literal (X04). */
export function wordsOfCommand(node: Command, values: KnownValues | undefined): readonly ShellWord[] {
  const words: ShellWord[] = [];
  if (node.name !== undefined) readWord(node.name, words);
  for (const item of node.suffix) {
    // Braces that would make still more words stay open.
    if (item.type === 'Word' && words.length > maxWords && item.text.includes('{')) words.push(unknownWords(item.text));
    else if (item.type === 'Word') readWord(item, words, values);
    else if (item.type === 'Assignment') words.push(declaredWord(item, values));
  }
  return words;
}

/** `declare x=y`: bash gives the program one word whatever the value is. */
function declaredWord({ text, name, value, index }: Assignment, values: KnownValues | undefined): ShellWord {
  if (value.type === 'Word' && index === undefined) {
    if (value.text === '') return literal(`${name}=`, text);
    const only = readSingleWord(value, values);
    if (only.type === 'literal') return literal(`${name}=${only.value}`, text);
  }
  return { type: 'open', knownPieces: [`${name}=`, ''], splits: false, text };
}
