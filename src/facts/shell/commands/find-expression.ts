/** Parses the expression of `find`: which files it prints, and which it passes to the commands it starts (X08). */

import { couldBe, type ShellWord } from '../words/shell-word.ts';
import type { FileTest } from '../words/word-choices.ts';

export interface FindExpression {
  readonly roots: readonly string[];
  readonly test: FileTest;
  /** The action that prints. Undefined if it prints nothing or something else. */
  readonly printAction: { readonly action: number; readonly nul: boolean } | undefined;
  /** The actions that start commands, in order. Undefined for those that run in another folder. */
  readonly execActions: readonly (number | undefined)[];
  readonly prunes: boolean;
  readonly minDepth: number;
  readonly maxDepth: number;
}

const settings = new Set(
  '-daystart -noleaf -mount -xdev -x -nowarn -warn -ignore_readdir_race -noignore_readdir_race'.split(' '),
);
const bareTests = new Set('-empty -executable -readable -writable -nouser -nogroup'.split(' '));
const valueTests =
  /^-(?:[aBcm]?newer(?:[aBcm][aBcmt])?|[acm](?:min|time)|[ac]newer|newer\w*|fstype|[gu]id|group|user|i?lname|inum|i?regex|links|perm|samefile|size|used|xtype|context)$/;

/** Nesting of parentheses and negations. */
const maxNesting = 32;

/** Undefined if the expression cannot be parsed, or if `find` follows links. */
export function readFind(words: readonly ShellWord[]): FindExpression | undefined {
  const reader = new FindReader(words);
  const read = reader.read();
  return reader.failed ? undefined : read;
}

class FindReader {
  failed = false;
  private at = 1;
  private depth = 0;
  private actions = 0;
  private readonly started: (number | undefined)[] = [];
  private readonly prints: { readonly action: number; readonly nul: boolean }[] = [];
  private printsOther = false;
  private acts = false;
  private prunes = true;
  private least = 0;
  private most = Infinity;

  constructor(private readonly words: readonly ShellWord[]) {}

  read(): FindExpression {
    while (this.text() === '-P') this.at += 1;
    const roots = this.readRoots();
    const tests = this.at < this.words.length ? [this.readAny()] : [];
    if (this.at < this.words.length) this.failed = true;
    if (!this.acts) tests.push(this.print(false));
    const { started, prunes, least, most } = this;
    const [printed, ...others] = this.prints;
    const isOne = !this.printsOther && started.length === 0 && others.every(({ nul }) => nul === printed?.nul);
    // Several print actions produce one list: each of them can add a name.
    const test: FileTest = { type: 'all', tests };
    return {
      roots,
      test,
      printAction: isOne ? printed : undefined,
      execActions: started,
      prunes,
      minDepth: least,
      maxDepth: most,
    };
  }

  private text(): string | undefined {
    const word = this.words[this.at];
    return word?.type === 'literal' ? word.value : undefined;
  }

  private readRoots(): readonly string[] {
    const roots: string[] = [];
    for (let word = this.words[this.at]; word !== undefined; word = this.words[this.at]) {
      const texts =
        word.type === 'literal'
          ? [word.value]
          : word.splits
            ? undefined
            : word.choices?.map((choice) => (choice.type === 'text' ? choice.value : '-'));
      if (texts?.every((text) => /^[-(!,)]/.test(text)) === true && word.type === 'literal') break;
      if (texts === undefined || texts.some((text) => text === '' || /^[-(!,)]/.test(text))) this.failed = true;
      else roots.push(...texts);
      this.at += 1;
    }
    return roots.length === 0 ? ['.'] : roots;
  }

  private readAny(): FileTest {
    const tests = [this.readAll()];
    while (this.text() === '-o' || this.text() === '-or') {
      this.at += 1;
      tests.push(this.readAll());
    }
    return tests.length === 1 ? (tests[0] as FileTest) : { type: 'any', tests };
  }

  private readAll(): FileTest {
    const tests = [this.readOne()];
    while (!this.failed && this.at < this.words.length && !/^(?:\)|-o|-or|,)$/.test(this.text() ?? '')) {
      if (this.text() === '-a' || this.text() === '-and') this.at += 1;
      tests.push(this.readOne());
    }
    return tests.length === 1 ? (tests[0] as FileTest) : { type: 'all', tests };
  }

  private readOne(): FileTest {
    const text = this.text();
    this.at += 1;
    this.depth += 1;
    if (this.depth > maxNesting) return this.fail();
    const test = text === undefined ? this.fail() : this.readTest(text);
    this.depth -= 1;
    return test;
  }

  private readTest(text: string): FileTest {
    if (text === '!' || text === '-not') return { type: 'not', test: this.readOne() };
    if (text !== '(') return this.readPrimary(text);
    const inner = this.readAny();
    if (this.text() !== ')') return this.fail();
    this.at += 1;
    return inner;
  }

  private fail(): FileTest {
    this.failed = true;
    return { type: 'perhaps' };
  }

  private readPrimary(text: string): FileTest {
    if (settings.has(text) || text === '-true') return { type: 'true' };
    if (bareTests.has(text)) return { type: 'perhaps' };
    if (valueTests.test(text) || text === '-regextype')
      return this.value() === undefined ? this.fail() : { type: text === '-regextype' ? 'true' : 'perhaps' };
    switch (text) {
      case '-false':
        return { type: 'false' };
      case '-name':
      case '-iname':
        return this.pattern('name', text === '-iname');
      case '-path':
      case '-wholename':
      case '-ipath':
      case '-iwholename':
        return this.pattern('path', text.startsWith('-i'));
      case '-type':
        return this.kind();
      case '-maxdepth':
        this.most = this.number();
        return { type: 'true' };
      case '-mindepth':
        this.least = this.number();
        return { type: 'true' };
      case '-depth':
      case '-d':
        this.prunes = false;
        return { type: 'true' };
      case '-prune':
        return { type: 'prune' };
      default:
        return this.readAction(text);
    }
  }

  private value(): ShellWord | undefined {
    const word = this.words[this.at];
    this.at += 1;
    return word?.type === 'open' && word.splits ? undefined : word;
  }

  private pattern(type: 'name' | 'path', folds: boolean): FileTest {
    const word = this.value();
    if (word === undefined) return this.fail();
    return word.type === 'literal' ? { type, pattern: word.value, folds } : { type: 'perhaps' };
  }

  private kind(): FileTest {
    const word = this.value();
    if (word === undefined) return this.fail();
    return word.type === 'literal' && /^[fdl](?:,[fdl])*$/.test(word.value)
      ? { type: 'kind', kinds: word.value }
      : { type: 'perhaps' };
  }

  private number(): number {
    const word = this.value();
    if (word?.type === 'literal' && /^\d{1,9}$/.test(word.value)) return Number(word.value);
    this.failed = true;
    return 0;
  }

  private action(succeeds: boolean): FileTest & { type: 'action' } {
    this.acts = true;
    this.actions += 1;
    return { type: 'action', index: this.actions, succeeds };
  }

  private print(nul: boolean): FileTest {
    const action =
      this.prints.length === 0 ? this.action(true) : { ...this.action(true), index: this.prints[0]?.action ?? 0 };
    this.prints.push({ action: action.index, nul });
    return action;
  }

  private readAction(text: string): FileTest {
    switch (text) {
      case '-print':
        return this.print(false);
      case '-print0':
        return this.print(true);
      case '-printf':
        return this.readFormat();
      case '-quit':
        return { type: 'true' };
      case '-delete':
        this.prunes = false;
        return this.action(false);
      case '-ls':
        this.printsOther = true;
        return this.action(true);
      case '-exec':
      case '-ok':
      case '-execdir':
      case '-okdir':
        return this.readStart(text.endsWith('dir'));
      default:
        return this.fail();
    }
  }

  private readFormat(): FileTest {
    const word = this.value();
    const format = word?.type === 'literal' ? word.value : '';
    if (format === String.raw`%p\n` || format === String.raw`%p\0`) return this.print(format.endsWith('0'));
    this.printsOther = true;
    return word === undefined ? this.fail() : this.action(true);
  }

  /** All words up to `;`, or to `{} +`. */
  private readStart(elsewhere: boolean): FileTest {
    const action = this.action(false);
    this.started.push(elsewhere ? undefined : action.index);
    for (let word = this.words[this.at]; word !== undefined; word = this.words[this.at]) {
      const before = this.words[this.at - 1];
      this.at += 1;
      if (word.type === 'open' && (word.splits || couldBe(word, ';'))) return this.fail();
      if (word.type === 'literal' && word.value === ';') return action;
      if (word.type === 'literal' && word.value === '+' && before?.type === 'literal' && before.value === '{}')
        return action;
    }
    return this.fail();
  }
}
