/**
 * Tracks the values of variables that a line shows (X08). A value is known if a plain assignment or a loop has
 * certainly set it. Anything else that sets the variable makes it unknown.
 */

import { getOrCreate } from '../../../kernel/lazy.ts';
import type { ShellWord } from './shell-word.ts';
import { variableEffect } from './variable-effects.ts';
import {
  costOfChoices,
  maxChoices,
  nameChoice,
  type WordChoice,
  type VariableChoice,
  type NameList,
} from './word-choices.ts';

/** The texts that a variable may hold: one of these. */
export type KnownValue = readonly VariableChoice[];
export type KnownValues = ReadonlyMap<string, KnownValue>;

const maxVariables = 64;
/** Limits the total size of all uses of a value in a line. A use takes at least two characters of the line. */
const maxUseCost = 4_000_000;

/** bash sets these itself, or treats them specially. */
const bashVariables = new Set(
  `_ BASH BASHOPTS BASHPID COLUMNS COPROC DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME FUNCNEST GROUPS HISTCMD
  HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC
  INSIDE_EMACS LINENO LINES MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS
  PPID PROMPT_DIRTRIM PWD RANDOM REPLY SECONDS SHELL SHELLOPTS SHLVL SRANDOM TIMEFORMAT TMOUT UID auto_resume
  histchars`.split(/\s+/),
);

function isTrackable(name: string): boolean {
  if (!/^[A-Za-z_]\w*$/.test(name) || /^(?:BASH|COMP|READLINE)_/.test(name)) return false;
  return !bashVariables.has(name) && variableEffect(name) === undefined;
}

/** Commands that set variables under other names, or at another time. */
const setsIndirectly =
  /(?:^|[\s;&|(){}`'"!])(?:eval|source|trap|declare|typeset|local|readonly|function|enable|fc)(?=[\s;'"]|$)|(?:^|[;&|({!`\n'"]|\b(?:do|then|else|if|while))\s*\.\s|\(\s*\)/;
/** `IFS= read` sets IFS for this one command, which expands nothing. */
const readSeparators = /\bIFS=(?:[^\s;&|()"']|'[^']*'|"[^"$`\\]*")*\s+read\b/g;

/**
 * Builtins after which no value is known: they set variables that their words do not name, or change how values are
 * stored.
 */
export const variableSettingBuiltins: ReadonlySet<string> = new Set(
  'eval source . trap declare typeset local readonly enable fc'.split(' '),
);

/** Tracks variables through a line. */
export class VariableTracker {
  /** The values known at this point. Undefined: none, as in most lines. */
  current: KnownValues | undefined;
  private setTwice: Map<string, boolean> | undefined;
  private mode: 'unasked' | 'on' | 'off' = 'unasked';

  /** The whole line, including the code nested in it. */
  constructor(private readonly line: string) {}

  set(name: string, value: KnownValue | undefined): void {
    this.forget(name);
    if (value !== undefined && isTrackable(name)) this.put(name, value);
  }

  private put(name: string, value: KnownValue): void {
    if (value.length === 0 || value.length > maxChoices || (this.current?.size ?? 0) >= maxVariables) return;
    const letters = costOfChoices(value);
    if (letters === undefined || letters * this.line.length > maxUseCost) return;
    if (this.mode === 'unasked') this.mode = isTrackableLine(this.line) ? 'on' : 'off';
    if (this.mode === 'on') this.current = new Map(this.current).set(name, value);
  }

  /**
   * Records the output of a substitution that was just walked, under its text: exactly these words, or some of them.
   */
  setOutput(text: string, value: KnownValue | undefined, exact: boolean): void {
    this.forget(text);
    this.forget(partialOutputKey(text));
    if (value !== undefined) this.put(exact ? text : partialOutputKey(text), value);
  }

  forget(name: string): void {
    if (this.current?.has(name) !== true) return;
    const rest = new Map(this.current);
    rest.delete(name);
    this.current = rest.size === 0 ? undefined : rest;
  }

  /** Restores earlier values, unless tracking has stopped. */
  restore(values: KnownValues | undefined): void {
    if (this.mode !== 'off') this.current = values;
  }

  /** Stops tracking. True if a value was already used as known. */
  stop(): boolean {
    const { mode } = this;
    this.mode = 'off';
    this.current = undefined;
    return mode === 'on';
  }

  /** Enters code that may run any number of times: forgets variables that it may set. */
  enterLoop(): KnownValues | undefined {
    for (const name of this.current?.keys() ?? []) if (isOutputKey(name) || this.isSetAgain(name)) this.forget(name);
    return this.current;
  }

  private isSetAgain(name: string): boolean {
    return getOrCreate((this.setTwice ??= new Map()), name, () => isSetAgain(this.line, name));
  }

  /** Leaves that code. False if it set a variable that was used as known. */
  leaveLoop(entered: KnownValues | undefined): boolean {
    const { current } = this;
    this.restore(entered);
    return Array.from(entered ?? []).every(([name, value]) => current?.get(name) === value);
  }
}

/** The key for an output of which some words may be missing. */
export function partialOutputKey(text: string): string {
  return `some of ${text}`;
}

/** The text of a substitution is not a variable name. */
function isOutputKey(name: string): boolean {
  return !/^\w+$/.test(name);
}

function isTrackableLine(line: string): boolean {
  return !setsIndirectly.test(line) && !line.replaceAll(readSeparators, '').includes('IFS');
}

/** Whether the line may set the variable more than once. `leaveLoop` detects what this misses. */
function isSetAgain(line: string, name: string): boolean {
  const places = line.match(new RegExp(String.raw`(?<![\w$./\-]|\$\{[#!]?)${name}(?=[=+[\s;&|)'"]|-|$)`, 'g'));
  return (places?.length ?? 0) > 1;
}

/** What is known after either of two branches. */
export function mergeValues(one: KnownValues | undefined, other: KnownValues | undefined): KnownValues | undefined {
  if (one === other || one === undefined || other === undefined) return one === other ? one : undefined;
  const joined = new Map<string, KnownValue>();
  for (const [name, value] of one) {
    const second = other.get(name);
    if (second === undefined) continue;
    const both = value === second ? value : [...value, ...second];
    if (both.length <= maxChoices && costOfChoices(both) !== undefined) joined.set(name, both);
  }
  return joined.size === 0 ? undefined : joined;
}

/** The value of a variable that is set to one of these words. `from`: where their patterns are expanded. */
export function valueOfWords(words: readonly ShellWord[], from?: NameList['from']): KnownValue | undefined {
  const value: KnownValue[number][] = [];
  for (const word of words) {
    const choices = choicesOfWord(word);
    if (choices === undefined || value.length + choices.length > maxChoices) return undefined;
    for (const choice of choices) {
      if (choice.type !== 'glob') value.push(choice);
      else value.push(nameChoice({ type: 'glob', glob: choice.glob, from }, false));
    }
  }
  return value;
}

function choicesOfWord(word: ShellWord): readonly WordChoice[] | undefined {
  if (word.type === 'literal') return [{ type: 'text', value: word.value }];
  return word.choices ?? (word.glob === undefined ? undefined : [{ type: 'glob', glob: word.glob }]);
}
