/**
 * The format of a program row. A usage reads like the synopsis of a manual page: options, then operands, separated by
 * spaces. docs/reference/programs.md explains each sign.
 */

import type { CodeScan } from '../embedded-code/code-scan.ts';

/** How a program spells its arguments. */
export type OptionStyle =
  /** `-rf`, `-n5`, `--lines=5`, `--lines 5`, abbreviated long options. */
  | 'gnu'
  /** Like `gnu`, but the value of a clustered option is the next word: `-eo pipefail`. */
  | 'shell'
  /** Long options with one dash, `-name x` or `-name=x`, or with two. */
  | 'dash'
  /** `if=x of=y`. */
  | 'pairs'
  /** Like `gnu`, and the first word may be a cluster without a dash: `tar xf a.tar`. */
  | 'bundle';

/** The description of a program. */
export interface RowParts {
  readonly usage?: string;
  readonly style?: OptionStyle;
  /** Subcommands by name, separated by commas. `i=install` is an alias of `install`; `*` matches every other word. */
  readonly commands?: ProgramRows;
  /** True: options of the program may also follow a subcommand. */
  readonly inherits?: true;
  /** Changes that apply when an option is given. If several match, the first listed one counts. */
  readonly with?: Readonly<Record<string, string>>;
  /** Options implied by an option, by an option with its value, or by the first letter of an operand. */
  readonly implies?: Readonly<Record<string, string>>;
  /** For an option with a `key=value` value: roles by key. An unlisted key is harmful. */
  readonly keys?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Finds what embedded code in another language uses. */
  readonly scan?: CodeScan;
}

/** A usage, or a usage with additional parts. */
export type ProgramRow = string | RowParts;

/** Rows by name, separated by commas. */
export interface ProgramRows {
  readonly [names: string]: ProgramRow;
}

/** Joins many names on several lines into one key. */
export function joinNames(text: string): string {
  return text.split(/,\s+/u).join(', ');
}
