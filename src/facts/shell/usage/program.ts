/** A program of the table, and its arguments as it understands them. */

import type { ImpliedAccess, NameFilter, OutputKind, FolderReach, ValueRole, StdinUse } from './value-role.ts';
import type { ShellWord } from '../words/shell-word.ts';
import type { ProgramUsage } from './program-usage.ts';

/** One program of the table. */
export interface Program {
  readonly names: readonly string[];
  readonly usage: ProgramUsage;
  /** What it prints: its words, its words by a format, or its input and files unchanged. */
  readonly prints: OutputKind | undefined;
  /** True: with any arguments, it starts nothing, hides nothing and changes nothing for later commands. */
  readonly onlyTouchesFiles: boolean;
}

/** One argument, as its program understands it. */
export type ArgumentPart =
  | { readonly type: 'subcommand'; readonly name: string }
  | OptionPart
  | OperandPart
  /** Run by a shell, the words joined with spaces. */
  | { readonly type: 'code'; readonly words: readonly ShellWord[] }
  /** Starts another program with these words. `more`: it adds words of its own. */
  | { readonly type: 'command'; readonly argv: readonly ShellWord[]; readonly more: boolean };

export interface OptionPart {
  readonly type: 'option';
  /** One name per meaning for all spellings: `--recursive` for `-r` and `--recurs`. */
  readonly name: string;
  readonly value: ShellWord | undefined;
  readonly role: ValueRole;
  readonly harmless: boolean;
  readonly reach?: FolderReach | undefined;
  /** True: it makes the program write the files that other words name, like `--fix`. */
  readonly writesOperands?: true;
}

export interface OperandPart {
  readonly type: 'operand';
  readonly word: ShellWord;
  readonly role: ValueRole;
  readonly harmless: boolean;
  readonly reach?: FolderReach | undefined;
  /** True: it may be the value of an unknown option. */
  readonly uncertain?: boolean;
}

export interface ParsedArguments {
  readonly parts: readonly ArgumentPart[];
  /** Why parts may be missing or wrong: an unknown option, or a word that is not literal and may be one. */
  readonly unsure: string | undefined;
  /** Like `unsure`, without glob patterns: the files on the disk decide whether those are options. */
  readonly unsureFiles: string | undefined;
  /** Why it may start a program that is not among the parts. */
  readonly unsureCommand: string | undefined;
  /** How this call uses standard input: as shell code, as code in another language, or as additional words. */
  readonly stdin: StdinUse;
  /** True: its arguments do not show what it does. */
  readonly opaque: boolean;
  readonly implied: readonly ImpliedAccess[];
  /** Selects files below the folders among the operands. */
  readonly filters: readonly NameFilter[];
  /** True: conditions select the files, whether they are understood or not. */
  readonly conditional: boolean;
  /** The option that excludes files by name. */
  readonly excludeOption: string | undefined;
  /** True: the repository around its working folder decides what it starts. */
  readonly repository: boolean;
  /** True: no option of the program is harmful, known or not. */
  readonly safe: boolean;
  /** True: files that may be missing from the parts are only read. */
  readonly readsOnly: boolean;
  /** True: it changes the folder in which later relative paths start. */
  readonly changesFolder: boolean;
  /** True: it starts a pager if its output is a terminal. */
  readonly opensPager: boolean;
  /** Why later names or text may have another meaning. */
  readonly changesMeaning: string | undefined;
}
