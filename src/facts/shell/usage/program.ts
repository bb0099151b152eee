/** What is known of a program, and what its arguments mean by it. */

import type { ImpliedAccess, NameFilter, OutputKind, FolderReach, ValueRole, StdinUse } from './value-role.ts';
import type { ShellWord } from '../words/shell-word.ts';
import type { ProgramUsage } from './program-usage.ts';

export type { ImpliedAccess, FolderReach, ValueRole };

/** One program of the table. */
export interface Program {
  readonly names: readonly string[];
  readonly usage: ProgramUsage;
  /** What it puts out: its words, its words by a format, or files and its input as they are. */
  readonly prints: OutputKind | undefined;
  /** True: whatever its arguments, it starts nothing, changes nothing for what follows, and hides nothing. */
  readonly quiet: boolean;
}

/** One argument, as its program understands it. */
export type ArgumentPart =
  | { readonly type: 'subcommand'; readonly name: string }
  | OptionPart
  | OperandPart
  /** Run by a shell, the words joined with blanks. */
  | { readonly type: 'code'; readonly words: readonly ShellWord[] }
  /** Starts another program with these words; `more`: it adds words of its own. */
  | { readonly type: 'command'; readonly argv: readonly ShellWord[]; readonly more: boolean };

export interface OptionPart {
  readonly type: 'option';
  /** One name per meaning, whichever spelling was used: `--recursive` for `-r` and `--recurs`. */
  readonly name: string;
  readonly value: ShellWord | undefined;
  readonly role: ValueRole;
  readonly harmless: boolean;
  readonly reach?: FolderReach | undefined;
  /** True: it makes the program write the files that other words name: `--fix`. */
  readonly writesOperands?: true;
}

export interface OperandPart {
  readonly type: 'operand';
  readonly word: ShellWord;
  readonly role: ValueRole;
  readonly harmless: boolean;
  readonly reach?: FolderReach | undefined;
  /** True: it may be the value of an option nobody knows. */
  readonly uncertain?: boolean;
}

export interface ParsedArguments {
  readonly parts: readonly ArgumentPart[];
  /** Why the parts may not be all, or not right: an option nobody knows, a word that is not literal where one may stand. */
  readonly unsure: string | undefined;
  /** The same, but for patterns of file names, of which the disk tells whether they are options. */
  readonly unsureFiles: string | undefined;
  /** Why a program may be started that is not among the parts. */
  readonly unsureCommand: string | undefined;
  /** What standard input is to this program, called so: code for a shell, code of another language, words to add. */
  readonly stdin: StdinUse;
  /** True: what it does is not shown by its arguments. */
  readonly opaque: boolean;
  readonly implied: readonly ImpliedAccess[];
  /** Which files below the folders among the operands are searched. */
  readonly filters: readonly NameFilter[];
  /** True: conditions say which of them, whether they are understood or not. */
  readonly conditional: boolean;
  /** The option that would leave out files by their names. */
  readonly excludeOption: string | undefined;
  /** True: the repository around the folder it works in says what it starts. */
  readonly repository: boolean;
  /** True: no option of the program, known or not, does harm; what is unsure is harmless. */
  readonly safe: boolean;
  /** True: whatever may be missing among the files is only read. */
  readonly readsOnly: boolean;
  /** True: relative paths start elsewhere after it. */
  readonly changesFolder: boolean;
  /** True: it starts a pager if its output is a terminal. */
  readonly opensPager: boolean;
  /** Why names, or text, after it may mean something else. */
  readonly changesMeaning: string | undefined;
}
