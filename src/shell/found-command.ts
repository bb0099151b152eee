/** One command of a line. What few ask for, its words and their meaning, is worked out when it is asked for. */

import type { Assignment, Command } from 'unbash';
import type { ShellCommand } from './command-analysis.ts';
import { glance, glanceAt, type Glance } from './glance.ts';
import { isLiteral } from './plain-word.ts';
import type { ArgumentPart, Program, ReadArguments } from './program.ts';
import { readArguments } from './read-arguments.ts';
import { readSingleWord, readWord } from './read-word.ts';
import { anything, literal, openWord, type ShellWord } from './shell-word.ts';
import type { Values } from './shown-values.ts';
import { lineStart, type Whereabouts } from './whereabouts.ts';

export interface FoundRedirect {
  readonly mode: 'read' | 'write' | 'either';
  readonly word: ShellWord;
  /** True: files in that folder, under names that the line does not show. */
  readonly inside?: boolean;
}

/** What a command is started with beside its words. */
export interface Circumstances {
  readonly more: boolean;
  readonly assignments: readonly string[];
  readonly redirects: readonly FoundRedirect[];
  readonly redirectsOut: boolean;
  readonly via: readonly string[];
}

const nothing: readonly never[] = [];
export const bareCircumstances: Circumstances = {
  more: false,
  assignments: nothing,
  redirects: nothing,
  redirectsOut: false,
  via: nothing,
};

/** More commands than a line may have: what runs before is not known, and a command may run more than once. */
export const anyNumber = 1_000_000;

export class FoundCommand implements ShellCommand {
  /** The base name of the program; undefined where it is not known, or nothing is started. */
  readonly name: string | undefined;
  readonly program: Program | undefined;
  readonly more: boolean;
  readonly assignments: readonly string[];
  readonly redirects: readonly FoundRedirect[];
  readonly redirectsOut: boolean;
  readonly via: readonly string[];
  /** True: it reads its code from a pipe, so that alone it would run something else. */
  piped = false;
  /** True: what it does is not shown by the line. */
  hides = false;
  /** What the code on its standard input uses; `unseen` if a scan cannot tell. */
  input: readonly ArgumentPart[] | 'unseen' = nothing;
  /** Where it is started. */
  at: Whereabouts = lineStart;
  /** How many commands may have run before it; any number, if they do not run one after another. */
  since = 0;
  /** Where the words stand if they have not been read; its name is plain. */
  private readonly node: Command | undefined;
  /** True: all those words are plain. */
  plain = false;
  /** The variables that are known where they stand. */
  values: Values | undefined;
  private known: readonly ShellWord[] | undefined;
  private reading: ReadArguments | undefined;

  constructor(words: readonly ShellWord[] | Command, program: NamedProgram, how: Circumstances) {
    this.node = 'suffix' in words ? words : undefined;
    this.known = 'suffix' in words ? undefined : words;
    this.name = program.name;
    this.program = program.program;
    this.more = how.more;
    this.assignments = how.assignments;
    this.redirects = how.redirects;
    this.redirectsOut = how.redirectsOut;
    this.via = how.via;
  }

  get argv(): readonly ShellWord[] {
    this.known ??= this.node === undefined ? nothing : wordsOf(this.node, this.values);
    return this.known;
  }

  /** The first word, unless it is known not to be a path. */
  get path(): ShellWord | undefined {
    const text = this.node?.name?.text;
    return text !== undefined && !text.includes('/') ? undefined : this.argv[0];
  }

  /** The first word, if it is literal. */
  get called(): string | undefined {
    const text = this.node?.name?.text;
    if (text !== undefined) return text;
    const [first] = this.argv;
    return first?.type === 'literal' ? first.value : undefined;
  }

  /** False if no word after the first can be or hold this name. */
  mayName(name: string): boolean {
    if (this.more) return true;
    if (this.node === undefined) {
      return this.argv.some((word, index) => index > 0 && (word.type === 'open' || mayHold(word.value, name)));
    }
    return this.node.suffix.some((item) =>
      item.type === 'Word' ? !isLiteral(item.text) || mayHold(item.text, name, 1) : item.type === 'Assignment',
    );
  }

  /** What can be seen of its arguments without reading them. */
  glance(): Glance {
    if (this.program === undefined || this.more) return 'unseen';
    // What is seen of a variable is only its name.
    if (this.values !== undefined && !this.plain) return 'unseen';
    return this.node === undefined
      ? glanceAt(this.program, this.argv)
      : glance(this.program, this.node.suffix, this.plain);
  }

  /** The same command once for each of the texts that its words may be; itself, where there is nothing to choose. */
  get variants(): readonly FoundCommand[] {
    return this.hasVariants ? this.chosen() : [this];
  }

  get hasVariants(): boolean {
    if (this.node !== undefined && this.values === undefined) return false;
    return this.argv.some((word) => textsOf(word) !== undefined);
  }

  private chosen(): readonly FoundCommand[] {
    let all: readonly (readonly ShellWord[])[] = [[]];
    for (const word of this.argv) {
      const texts = textsOf(word) ?? [word];
      // Beyond this nothing is known of the word.
      const taken = all.length * texts.length > mostVariants ? [openWord([], word.text)] : texts;
      all = all.flatMap((words) => taken.map((text) => [...words, text]));
    }
    return all.map((argv) => {
      const made = new FoundCommand(argv, this, this);
      made.at = this.at;
      made.since = this.since;
      made.input = this.input;
      return made;
    });
  }

  /** What its arguments mean; undefined for a program that is not listed. */
  get read(): ReadArguments | undefined {
    if (this.program === undefined) return undefined;
    if (this.reading !== undefined) return this.reading;
    const words = this.more ? [...this.argv, anything()] : this.argv;
    this.reading = readArguments(this.program, words, 1);
    return this.reading;
  }
}

const mostVariants = 128;
/** More files than this of one line are not looked at. */
const mostWords = 1000;

/** The texts that a single word is one of. */
function textsOf(word: ShellWord): readonly ShellWord[] | undefined {
  if (word.type === 'literal' || word.splits || word.among === undefined) return undefined;
  const texts = word.among.flatMap((choice) => (choice.type === 'text' ? [literal(choice.value, word.text)] : []));
  return texts.length === word.among.length ? texts : undefined;
}

/** Where quotes are left in a word, some programs take them out: `env -S`. */
function mayHold(text: string, name: string, from = 0): boolean {
  if (text.includes(name)) return true;
  return /["'\\]/.test(from === 0 ? text : text.slice(from, -from));
}

export interface NamedProgram {
  readonly name: string | undefined;
  readonly program: Program | undefined;
}

/** The words of a simple command, its name first: a name that stands in a variable is not literal (X04). */
export function wordsOf(node: Command, values: Values | undefined): readonly ShellWord[] {
  const words: ShellWord[] = [];
  if (node.name !== undefined) readWord(node.name, words);
  for (const item of node.suffix) {
    // Braces that would make still more words stay open.
    if (item.type === 'Word' && words.length > mostWords && item.text.includes('{')) words.push(anything(item.text));
    else if (item.type === 'Word') readWord(item, words, values);
    else if (item.type === 'Assignment') words.push(declaredWord(item, values));
  }
  return words;
}

/** `declare x=y`: bash gives the program one word whatever the value is. */
function declaredWord({ text, name, value, index }: Assignment, values: Values | undefined): ShellWord {
  if (value.type === 'Word' && index === undefined) {
    if (value.text === '') return literal(`${name}=`, text);
    const only = readSingleWord(value, values);
    if (only.type === 'literal') return literal(`${name}=${only.value}`, text);
  }
  return { type: 'open', pieces: [`${name}=`, ''], splits: false, text };
}
