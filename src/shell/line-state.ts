/** What has been found in a line so far, and where in it the walk stands. */

import type { ParsedScript } from 'unbash';
import type { FoundCommand } from './found-command.ts';
import type { PrintedNames } from './printed-names.ts';
import { ShownValues, type Values } from './shown-values.ts';
import { lineStart, neverReached, Whereabouts } from './whereabouts.ts';

/** Levels of anything that nests: code in code, wrappers around wrappers, groups in groups. */
const maxDepth = 64;
const maxCommands = 2000;

/** What a command reads from its standard input. */
export type Input =
  /** Nothing that the line shows. */
  | { readonly type: 'given' }
  | { readonly type: 'text'; readonly text: string; readonly piped: boolean }
  | { readonly type: 'file' }
  /** Perhaps names of files, each on a line or before a NUL: these, or some of them. */
  | { readonly type: 'names'; readonly printed: () => PrintedNames | undefined };

export const givenInput: Input = { type: 'given' };

/** The shell itself, while its subshells run. */
interface Before {
  readonly at: Whereabouts;
  readonly moves: number;
  readonly inOrder: boolean;
  readonly values: Values | undefined;
}

export class LineState {
  readonly commands: FoundCommand[] = [];
  /** Made when they are needed: code of other languages; values of variables set for programs, which may run them. */
  foreign: string[] | undefined;
  values: string[] | undefined;
  /** Functions that are surely defined where the walk stands. */
  functions: Set<string> | undefined;
  unknown: string | undefined;
  opaque: string | undefined;
  /** The same, where it is no command that hides what it does: code in the line, a variable that changes programs. */
  opaqueBeside: string | undefined;
  /** Where the shell may be. */
  at: Whereabouts = lineStart;
  /** Where it may be by the exit status of the last command, if that makes a difference. */
  private ended: { readonly ok: Whereabouts; readonly failed: Whereabouts } | undefined;
  /** True: some command moves, or may. */
  moved = false;
  /** How often the shell itself has moved. */
  private moves = 0;
  /** False: what is done here may be done again, or while other commands run. */
  inOrder = true;
  /** Why no change of folder can be followed any more. */
  adrift: string | undefined;
  /** The name of every function so far. */
  defined: Set<string> | undefined;
  /** A variable that is set and may be known to programs. */
  sets: string | undefined;
  /** A variable that is set and may change what the project's own code does. */
  tunes: string | undefined;
  /** True: `~` is another folder from somewhere in the line on. */
  homeSet = false;
  /** True: somewhere in the line, patterns of file names begin to match other files, or none. */
  patternsSet = false;
  /** True: a function is defined somewhere, so that any name may mean something else. */
  definesFunctions = false;
  /** True: bash evaluates the value of some variable as arithmetic, where it runs `a[$(…)]`. */
  evaluates = false;
  /** True: some variable may hold such a value. */
  dirty = false;
  /** True in code that is run by a shell which may not be bash. */
  otherShell = false;
  /** True in a member of a pipeline whose output is read by the next one. */
  piped = false;
  /** Inside `[[ ]]`, where extended patterns are always on. */
  inTest = false;
  /** What the last command read. */
  lastInput: Input = givenInput;
  depth = 0;
  private unplaced: (readonly [start: number, end: number])[] | undefined;
  /** Text parsed so far, with all code in code. */
  parsed = 0;
  /** True: what a program prints or hands on was taken for names that it finds. */
  relied = false;
  /** True: what is set is set for a single command. */
  passes = false;
  /** The values of variables where the walk stands. */
  readonly shown: ShownValues;

  /** Walks the script of a substitution. */
  readonly runScript: (state: LineState, script: ParsedScript) => void;
  /** Parses text as shell code and walks it. */
  readonly runCode: (state: LineState, text: string) => void;

  constructor(walker: Pick<LineState, 'runScript' | 'runCode'>, line: string) {
    this.shown = new ShownValues(line);
    this.runScript = walker.runScript;
    this.runCode = walker.runCode;
  }

  /** There may be commands that are not in the list. */
  doubt(why: string): void {
    this.unknown ??= why;
  }

  /** What bash takes for one thing here, another shell may take for commands. */
  doubtOtherShell(): void {
    if (this.otherShell) this.doubt('another shell may not read it as bash does');
  }

  /** `by`: the command that hides what it does. */
  hide(why: string, by?: FoundCommand): void {
    this.opaque ??= why;
    if (by === undefined) this.opaqueBeside ??= why;
    else by.hides = true;
  }

  /** True, with a doubt, if there are more commands than will be looked at. */
  full(): boolean {
    if (this.commands.length < maxCommands) return false;
    this.doubt('it has too many commands');
    return true;
  }

  /** False, with a doubt, if it nests too deep to go on. */
  enter(): boolean {
    this.depth += 1;
    if (this.depth <= maxDepth) return true;
    this.doubt('it is nested too deep');
    this.depth -= 1;
    return false;
  }

  leave(): void {
    this.depth -= 1;
  }

  /** Code that is run by bash, or by a shell that may read it differently. */
  inShell(other: boolean, work: () => void): void {
    const { otherShell } = this;
    this.otherShell = other;
    work();
    this.otherShell = otherShell;
  }

  /** Sets variables for a single command: afterwards they are what they were. */
  passing(work: () => void): void {
    this.passes = true;
    work();
    this.passes = false;
  }

  /** From here on variables may be set at any time, or by other names. */
  unsettle(why: string): void {
    if (this.shown.stop()) this.doubt(why);
  }

  /** Where the shell may be if the last command succeeded. */
  get ok(): Whereabouts {
    return this.ended === undefined ? this.at : this.ended.ok;
  }

  /** Where it may be if that failed. */
  get failed(): Whereabouts {
    return this.ended === undefined ? this.at : this.ended.failed;
  }

  /** A command begins: how the last one ended is forgotten. */
  begin(at = this.at): void {
    this.at = at;
    if (this.ended !== undefined) this.ended = undefined;
  }

  /** A command has ended, with the shell here or there. */
  end(ok: Whereabouts, failed: Whereabouts): void {
    this.at = failed.or(ok);
    this.ended = ok === failed ? undefined : { ok, failed };
  }

  /** The shell has changed its folder, or failed to. */
  go(ok: Whereabouts, failed: Whereabouts): void {
    this.end(ok, failed);
    this.moved = true;
    this.moves += 1;
  }

  /** From here on relative paths start nowhere that can be told. */
  lose(why: string): void {
    const lost = Whereabouts.unknown(why);
    this.go(lost, lost);
  }

  /** The same, whatever the line does next. */
  loseForGood(why: string): void {
    this.adrift ??= why;
    this.lose(why);
  }

  /** The shell ends here. */
  exit(): void {
    this.begin(neverReached);
  }

  /** What is done in a subshell, or by another program, neither moves the shell itself nor sets its variables. */
  aside(work: () => void): void {
    const { at, moves } = this;
    const { now } = this.shown;
    work();
    this.begin(at);
    this.moves = moves;
    this.shown.keep(now);
  }

  /** A subshell that runs while the line goes on. */
  beside(work: () => void): void {
    const before = this.enterSubshells();
    work();
    this.leaveSubshells(before);
  }

  /** Subshells that run at the same time. */
  enterSubshells(): Before {
    const { at, moves, inOrder } = this;
    this.inOrder = false;
    return { at, moves, inOrder, values: this.shown.now };
  }

  /** The next of them begins as the first did. */
  nextSubshell({ at, values }: Before): void {
    this.begin(at);
    this.shown.keep(values);
  }

  leaveSubshells(before: Before): void {
    this.nextSubshell(before);
    this.moves = before.moves;
    this.inOrder = before.inOrder;
  }

  /** Done at some other time, from wherever the shell is then. */
  later(work: () => void): void {
    const start = this.commands.length;
    const { now } = this.shown;
    this.shown.now = undefined;
    this.repeated(work);
    this.shown.keep(now);
    (this.unplaced ??= []).push([start, this.commands.length]);
  }

  /** What can only be said when the whole line has been seen. */
  finish(): void {
    if (this.evaluates && this.dirty) this.doubt('the value of a variable is evaluated, and may hold code');
    if (!this.moved) return;
    const lost = Whereabouts.unknown('the line changes its folder, and runs this at another time');
    for (const [start, end] of this.unplaced ?? []) this.place(start, end, lost);
  }

  /** Done any number of times: where it moves, nothing in it or after it can be placed. */
  repeated(work: () => void): void {
    const { at, moves, inOrder } = this;
    const start = this.commands.length;
    this.inOrder = false;
    const values = this.shown.enterLoop();
    work();
    if (!this.shown.leaveLoop(values)) this.doubt('a variable is set in a loop where its value was taken for known');
    this.inOrder = inOrder;
    this.begin(at);
    if (this.moves === moves) return;
    this.lose('the folder is changed in a loop, or at another time');
    this.place(start, this.commands.length, this.at);
  }

  private place(start: number, end: number, at: Whereabouts): void {
    for (let index = start; index < end; index += 1) {
      const command = this.commands[index];
      if (command !== undefined) command.at = at;
    }
  }
}
