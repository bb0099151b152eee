/** What has been found in a line so far, and where in it the walk stands. */

import type { ParsedScript } from 'unbash';
import type { LineCommand } from '../commands/line-command.ts';
import type { PrintedNames } from '../commands/printed-names.ts';
import { VariableTracker, type KnownValues } from '../words/known-values.ts';
import { lineStart, unreachable, ShellLocation } from '../commands/shell-location.ts';

/** Levels of anything that nests: code in code, wrappers around wrappers, groups in groups. */
const maxDepth = 64;
const maxCommands = 2000;

/** What a command reads from its standard input. */
export type CommandInput =
  /** Nothing that the line shows. */
  | { readonly type: 'given' }
  | { readonly type: 'text'; readonly text: string; readonly piped: boolean }
  | { readonly type: 'file' }
  /** Perhaps names of files, each on a line or before a NUL: these, or some of them. */
  | { readonly type: 'names'; readonly printed: () => PrintedNames | undefined };

export const unknownInput: CommandInput = { type: 'given' };

/** The shell itself, while its subshells run. */
interface ShellSnapshot {
  readonly location: ShellLocation;
  readonly folderChanges: number;
  readonly inOrder: boolean;
  readonly values: KnownValues | undefined;
}

export class LineState {
  readonly commands: LineCommand[] = [];
  /** Made when they are needed: code of other languages; values of variables set for programs, which may run them. */
  foreign: string[] | undefined;
  passedValues: string[] | undefined;
  /** Functions that are surely defined where the walk stands. */
  knownFunctions: Set<string> | undefined;
  unknown: string | undefined;
  opaque: string | undefined;
  /** The same, where it is no command that hides what it does: code in the line, a variable that changes programs. */
  opaqueOutsideCommands: string | undefined;
  /** Where the shell may be. */
  location: ShellLocation = lineStart;
  /** Where it may be by the exit status of the last command, if that makes a difference. */
  private exits: { readonly ok: ShellLocation; readonly failed: ShellLocation } | undefined;
  /** True: some command moves, or may. */
  changesFolder = false;
  /** How often the shell itself has moved. */
  private folderChanges = 0;
  /** False: what is done here may be done again, or while other commands run. */
  inOrder = true;
  /** Why no change of folder can be followed any more. */
  folderLost: string | undefined;
  /** The name of every function so far. */
  definedFunctions: Set<string> | undefined;
  /** A variable that is set and may be known to programs. */
  environmentVariable: string | undefined;
  /** A variable that is set and may change what the project's own code does. */
  projectVariable: string | undefined;
  /** True: `~` is another folder from somewhere in the line on. */
  homeChanged = false;
  /** True: somewhere in the line, patterns of file names begin to match other files, or none. */
  globbingChanged = false;
  /** True: a function is defined somewhere, so that any name may mean something else. */
  definesFunctions = false;
  /** True: bash evaluates the value of some variable as arithmetic, where it runs `a[$(…)]`. */
  evaluatesVariables = false;
  /** True: some variable may hold such a value. */
  variableMayHoldCode = false;
  /** True in code that is run by a shell which may not be bash. */
  otherShell = false;
  /** True in a member of a pipeline whose output is read by the next one. */
  piped = false;
  /** Inside `[[ ]]`, where extended patterns are always on. */
  inTest = false;
  /** What the last command read. */
  lastInput: CommandInput = unknownInput;
  depth = 0;
  private deferredRanges: (readonly [start: number, end: number])[] | undefined;
  /** Text parsed so far, with all code in code. */
  parsedLength = 0;
  /** True: what a program prints or hands on was taken for names that it finds. */
  reliesOnOutput = false;
  /** True: what is set is set for a single command. */
  setsForOneCommand = false;
  /** The values of variables where the walk stands. */
  readonly variables: VariableTracker;

  /** Walks the script of a substitution. */
  readonly runScript: (state: LineState, script: ParsedScript) => void;
  /** Parses text as shell code and walks it. */
  readonly runCode: (state: LineState, text: string) => void;

  constructor(walker: Pick<LineState, 'runScript' | 'runCode'>, line: string) {
    this.variables = new VariableTracker(line);
    this.runScript = walker.runScript;
    this.runCode = walker.runCode;
  }

  /** There may be commands that are not in the list. */
  markUnknown(why: string): void {
    this.unknown ??= why;
  }

  /** What bash takes for one thing here, another shell may take for commands. */
  markOtherShell(): void {
    if (this.otherShell) this.markUnknown('another shell may not read it as bash does');
  }

  /** `by`: the command that hides what it does. */
  markOpaque(why: string, by?: LineCommand): void {
    this.opaque ??= why;
    if (by === undefined) this.opaqueOutsideCommands ??= why;
    else by.hidesWork = true;
  }

  /** True, with a doubt, if there are more commands than will be looked at. */
  isFull(): boolean {
    if (this.commands.length < maxCommands) return false;
    this.markUnknown('it has too many commands');
    return true;
  }

  /** False, with a doubt, if it nests too deep to go on. */
  enter(): boolean {
    this.depth += 1;
    if (this.depth <= maxDepth) return true;
    this.markUnknown('it is nested too deep');
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
  forOneCommand(work: () => void): void {
    this.setsForOneCommand = true;
    work();
    this.setsForOneCommand = false;
  }

  /** From here on variables may be set at any time, or by other names. */
  forgetVariables(why: string): void {
    if (this.variables.stop()) this.markUnknown(why);
  }

  /** Where the shell may be if the last command succeeded. */
  get ok(): ShellLocation {
    return this.exits === undefined ? this.location : this.exits.ok;
  }

  /** Where it may be if that failed. */
  get failed(): ShellLocation {
    return this.exits === undefined ? this.location : this.exits.failed;
  }

  /** A command begins: how the last one ended is forgotten. */
  begin(at = this.location): void {
    this.location = at;
    if (this.exits !== undefined) this.exits = undefined;
  }

  /** A command has ended, with the shell here or there. */
  end(ok: ShellLocation, failed: ShellLocation): void {
    this.location = failed.or(ok);
    this.exits = ok === failed ? undefined : { ok, failed };
  }

  /** The shell has changed its folder, or failed to. */
  changeLocation(ok: ShellLocation, failed: ShellLocation): void {
    this.end(ok, failed);
    this.changesFolder = true;
    this.folderChanges += 1;
  }

  /** From here on relative paths start nowhere that can be told. */
  loseFolder(why: string): void {
    const lost = ShellLocation.unknown(why);
    this.changeLocation(lost, lost);
  }

  /** The same, whatever the line does next. */
  stopTrackingFolder(why: string): void {
    this.folderLost ??= why;
    this.loseFolder(why);
  }

  /** The shell ends here. */
  exit(): void {
    this.begin(unreachable);
  }

  /** What is done in a subshell, or by another program, neither moves the shell itself nor sets its variables. */
  inSubshell(work: () => void): void {
    const { location: at, folderChanges: moves } = this;
    const { current: now } = this.variables;
    work();
    this.begin(at);
    this.folderChanges = moves;
    this.variables.restore(now);
  }

  /** A subshell that runs while the line goes on. */
  inBackground(work: () => void): void {
    const before = this.enterSubshells();
    work();
    this.leaveSubshells(before);
  }

  /** Subshells that run at the same time. */
  enterSubshells(): ShellSnapshot {
    const { location: at, folderChanges: moves, inOrder } = this;
    this.inOrder = false;
    return { location: at, folderChanges: moves, inOrder, values: this.variables.current };
  }

  /** The next of them begins as the first did. */
  nextSubshell({ location: at, values }: ShellSnapshot): void {
    this.begin(at);
    this.variables.restore(values);
  }

  leaveSubshells(before: ShellSnapshot): void {
    this.nextSubshell(before);
    this.folderChanges = before.folderChanges;
    this.inOrder = before.inOrder;
  }

  /** Done at some other time, from wherever the shell is then. */
  deferred(work: () => void): void {
    const start = this.commands.length;
    const { current: now } = this.variables;
    this.variables.current = undefined;
    this.inLoop(work);
    this.variables.restore(now);
    (this.deferredRanges ??= []).push([start, this.commands.length]);
  }

  /** What can only be said when the whole line has been seen. */
  finish(): void {
    if (this.evaluatesVariables && this.variableMayHoldCode)
      this.markUnknown('the value of a variable is evaluated, and may hold code');
    if (!this.changesFolder) return;
    const lost = ShellLocation.unknown('the line changes its folder, and runs this at another time');
    for (const [start, end] of this.deferredRanges ?? []) this.setLocation(start, end, lost);
  }

  /** Done any number of times: where it moves, nothing in it or after it can be placed. */
  inLoop(work: () => void): void {
    const { location: at, folderChanges: moves, inOrder } = this;
    const start = this.commands.length;
    this.inOrder = false;
    const values = this.variables.enterLoop();
    work();
    if (!this.variables.leaveLoop(values))
      this.markUnknown('a variable is set in a loop where its value was taken for known');
    this.inOrder = inOrder;
    this.begin(at);
    if (this.folderChanges === moves) return;
    this.loseFolder('the folder is changed in a loop, or at another time');
    this.setLocation(start, this.commands.length, this.location);
  }

  private setLocation(start: number, end: number, at: ShellLocation): void {
    for (let index = start; index < end; index += 1) {
      const command = this.commands[index];
      if (command !== undefined) command.location = at;
    }
  }
}
