/** The state of walking a line: what was found so far, and the shell state at the current node. */

import type { ParsedScript } from 'unbash';
import type { LineCommand } from '../commands/line-command.ts';
import type { PrintedNames } from '../commands/printed-names.ts';
import { VariableTracker, type KnownValues } from '../words/known-values.ts';
import { lineStart, unreachable, ShellLocation } from '../commands/shell-location.ts';

/** Limits every kind of nesting: code in code, wrappers around wrappers, groups in groups. */
const maxDepth = 64;
const maxCommands = 2000;

/** The standard input of a command. */
export type CommandInput =
  /** Not shown by the line. */
  | { readonly type: 'unknown' }
  | { readonly type: 'text'; readonly text: string; readonly piped: boolean }
  | { readonly type: 'file' }
  /** File names, one per line or separated by NUL: all of them or some. */
  | { readonly type: 'names'; readonly printed: () => PrintedNames | undefined };

export const unknownInput: CommandInput = { type: 'unknown' };

/** The state of the parent shell while its subshells run. */
interface ShellSnapshot {
  readonly location: ShellLocation;
  readonly folderChanges: number;
  readonly inOrder: boolean;
  readonly values: KnownValues | undefined;
}

export class LineState {
  readonly commands: LineCommand[] = [];
  /** Created on demand: code in other languages, and values of variables set for programs, which may run them. */
  foreign: string[] | undefined;
  passedValues: string[] | undefined;
  /** Functions that are certainly defined at this point. */
  knownFunctions: Set<string> | undefined;
  unknown: string | undefined;
  opaque: string | undefined;
  /**
   * Like `opaque`, for reasons other than a command that hides its work: code in the line, a variable that changes
   * programs.
   */
  opaqueOutsideCommands: string | undefined;
  /** The folders in which the shell may be. */
  location: ShellLocation = lineStart;
  /** The folders by exit status of the last command, if they differ. */
  private exits: { readonly ok: ShellLocation; readonly failed: ShellLocation } | undefined;
  /** True: some command changes the folder, or may. */
  changesFolder = false;
  /** How often the shell itself has changed its folder. */
  private folderChanges = 0;
  /** False: commands here may run again, or in parallel with others. */
  inOrder = true;
  /** Why folder changes can no longer be tracked. */
  folderLost: string | undefined;
  /** The names of all functions defined so far. */
  definedFunctions: Set<string> | undefined;
  /** A variable that is set and may be read by programs. */
  environmentVariable: string | undefined;
  /** A variable that is set and may change what the project's own code does. */
  projectVariable: string | undefined;
  /** True: the line changes the home folder of `~`. */
  homeChanged = false;
  /** True: the line changes which files glob patterns match. */
  globbingChanged = false;
  /** True: the line defines a function, so any command name may refer to it. */
  definesFunctions = false;
  /** True: bash evaluates the value of a variable as arithmetic, which runs `a[$(…)]`. */
  evaluatesVariables = false;
  /** True: a variable may hold such a value. */
  variableMayHoldCode = false;
  /** True in code run by a shell that may not be bash. */
  otherShell = false;
  /** True in a pipeline member whose output the next one reads. */
  piped = false;
  /** True inside `[[ ]]`, where extended patterns are always on. */
  inTest = false;
  /** The input of the last command. */
  lastInput: CommandInput = unknownInput;
  depth = 0;
  private deferredRanges: (readonly [start: number, end: number])[] | undefined;
  /** Length of all text parsed so far, including nested code. */
  parsedLength = 0;
  /** True: the output of a program was taken as the names it finds. */
  reliesOnOutput = false;
  /** True: variables are being set for a single command. */
  setsForOneCommand = false;
  /** The known values of variables at this point. */
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

  /** Records that commands may be missing from the list. */
  markUnknown(why: string): void {
    this.unknown ??= why;
  }

  /** Another shell may run as code what bash treats as text. */
  markOtherShell(): void {
    if (this.otherShell) this.markUnknown('another shell may read the line differently from bash');
  }

  /** Records that the line hides what it does. `by`: the command that hides it. */
  markOpaque(why: string, by?: LineCommand): void {
    this.opaque ??= why;
    if (by === undefined) this.opaqueOutsideCommands ??= why;
    else by.hidesWork = true;
  }

  /** True if the line has too many commands. Records that as unknown. */
  isFull(): boolean {
    if (this.commands.length < maxCommands) return false;
    this.markUnknown('the line has too many commands');
    return true;
  }

  /** False if the nesting is too deep. Records that as unknown. */
  enter(): boolean {
    this.depth += 1;
    if (this.depth <= maxDepth) return true;
    this.markUnknown('the line is nested too deeply');
    this.depth -= 1;
    return false;
  }

  leave(): void {
    this.depth -= 1;
  }

  /** Walks code that is run by bash, or by a shell that may read it differently. */
  inShell(other: boolean, work: () => void): void {
    const { otherShell } = this;
    this.otherShell = other;
    work();
    this.otherShell = otherShell;
  }

  /** Sets variables for a single command; afterwards they have their old values. */
  forOneCommand(work: () => void): void {
    this.setsForOneCommand = true;
    work();
    this.setsForOneCommand = false;
  }

  /** From here on, variables may be set at any time or under other names. */
  forgetVariables(why: string): void {
    if (this.variables.stop()) this.markUnknown(why);
  }

  /** The location if the last command succeeded. */
  get ok(): ShellLocation {
    return this.exits === undefined ? this.location : this.exits.ok;
  }

  /** The location if the last command failed. */
  get failed(): ShellLocation {
    return this.exits === undefined ? this.location : this.exits.failed;
  }

  /** A command starts: forgets how the last one ended. */
  begin(at = this.location): void {
    this.location = at;
    if (this.exits !== undefined) this.exits = undefined;
  }

  /** A command has ended: where the shell is after success and after failure. */
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

  /** From here on, the start of relative paths is unknown. */
  loseFolder(why: string): void {
    const lost = ShellLocation.unknown(why);
    this.changeLocation(lost, lost);
  }

  /** Like `loseFolder`, for the rest of the line. */
  stopTrackingFolder(why: string): void {
    this.folderLost ??= why;
    this.loseFolder(why);
  }

  /** The shell exits here. */
  exit(): void {
    this.begin(unreachable);
  }

  /** Walks a subshell or another program: it cannot change the folder or the variables of the shell itself. */
  inSubshell(work: () => void): void {
    const { location, folderChanges } = this;
    const { current } = this.variables;
    work();
    this.begin(location);
    this.folderChanges = folderChanges;
    this.variables.restore(current);
  }

  /** Walks a subshell that runs in parallel with the line. */
  inBackground(work: () => void): void {
    const before = this.enterSubshells();
    work();
    this.leaveSubshells(before);
  }

  /** Subshells start that run in parallel. */
  enterSubshells(): ShellSnapshot {
    const { location, folderChanges, inOrder } = this;
    this.inOrder = false;
    return { location, folderChanges, inOrder, values: this.variables.current };
  }

  /** The next subshell starts from the same state as the first. */
  nextSubshell({ location, values }: ShellSnapshot): void {
    this.begin(location);
    this.variables.restore(values);
  }

  leaveSubshells(before: ShellSnapshot): void {
    this.nextSubshell(before);
    this.folderChanges = before.folderChanges;
    this.inOrder = before.inOrder;
  }

  /** Walks code that runs at another time, from an unknown folder. */
  deferred(work: () => void): void {
    const start = this.commands.length;
    const { current } = this.variables;
    this.variables.current = undefined;
    this.inLoop(work);
    this.variables.restore(current);
    (this.deferredRanges ??= []).push([start, this.commands.length]);
  }

  /** Conclusions that need the whole line. */
  finish(): void {
    if (this.evaluatesVariables && this.variableMayHoldCode)
      this.markUnknown('bash evaluates the value of a variable, which may contain code');
    if (!this.changesFolder) return;
    const lost = ShellLocation.unknown('the line changes its folder and runs this at an unknown time');
    for (const [start, end] of this.deferredRanges ?? []) this.setLocation(start, end, lost);
  }

  /**
   * Walks code that may run any number of times. If it changes the folder, the folder is unknown in it and after it.
   */
  inLoop(work: () => void): void {
    const { location, folderChanges, inOrder } = this;
    const start = this.commands.length;
    this.inOrder = false;
    const values = this.variables.enterLoop();
    work();
    if (!this.variables.leaveLoop(values))
      this.markUnknown('a loop sets a variable that was used with an earlier value');
    this.inOrder = inOrder;
    this.begin(location);
    if (this.folderChanges === folderChanges) return;
    this.loseFolder('the line changes its folder in a loop or at an unknown time');
    this.setLocation(start, this.commands.length, this.location);
  }

  private setLocation(start: number, end: number, location: ShellLocation): void {
    for (let index = start; index < end; index += 1) {
      const command = this.commands[index];
      if (command !== undefined) command.location = location;
    }
  }
}
