/** What is known of a program, and what its arguments mean by it. */

import type { ShellWord } from './command-analysis.ts';

/** What an operand, or the value of an option, is to its program. */
export type Role =
  /** Nothing that touches anything: a number, a pattern, a message. */
  | 'text'
  /** A file or folder that is read, written (made, changed, deleted), or may be both. */
  | 'reads'
  | 'writes'
  | 'either'
  /** Another program: this word and all that follow. */
  | 'program'
  /** Code for a shell. */
  | 'code'
  /** Code of another language: awk, python, perl, a sed script that may execute. */
  | 'foreign'
  /** A file whose content is executed. */
  | 'script'
  /** A folder to work in. */
  | 'folder'
  /** `NAME=value` for what is started. */
  | 'assignment'
  /** What is done with it is not harmless and not known better. */
  | 'harmful';

/** Made by whoever keeps the table; see `programs/`. */
export interface Program {
  readonly names: readonly string[];
}

/** One argument, as its program understands it. */
export type ArgumentPart =
  | { readonly type: 'subcommand'; readonly name: string }
  | {
      readonly type: 'option';
      /** One name per meaning, whichever spelling was used: `--recursive` for `-r` and `--recurs`. */
      readonly name: string;
      readonly value: ShellWord | undefined;
      readonly role: Role;
      readonly harmless: boolean;
    }
  | { readonly type: 'operand'; readonly word: ShellWord; readonly role: Role; readonly harmless: boolean }
  /** Starts another program with these words; `more`: it adds words of its own. */
  | { readonly type: 'command'; readonly argv: readonly ShellWord[]; readonly more: boolean };

export interface ReadArguments {
  readonly parts: readonly ArgumentPart[];
  /** Why the parts may not be all, or not right: an option nobody knows, a word that is not literal where one may stand. */
  readonly unsure: string | undefined;
  /** What standard input is to this program, called so: code for a shell, code of another language, words to add. */
  readonly stdin: 'code' | 'foreign' | 'words' | 'data';
  /** True: what it does is not shown by its arguments. */
  readonly opaque: boolean;
}
