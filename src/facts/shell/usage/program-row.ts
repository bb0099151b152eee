/**
 * How a program is written down. A usage is read like the synopsis of a manual page: options, then operands, parted by
 * spaces. docs/reference/programs.md says what each sign means.
 */

import type { CodeScan } from '../embedded-code/code-scan.ts';

/** How the arguments of a program are spelled. */
export type OptionStyle =
  /** `-rf`, `-n5`, `--lines=5`, `--lines 5`, abbreviated long options. */
  | 'gnu'
  /** As gnu, but the value of a clustered option is the next word: `-eo pipefail`. */
  | 'shell'
  /** Long options with one dash: `-name x`, `-name=x`, and with two. */
  | 'dash'
  /** `if=x of=y`. */
  | 'pairs'
  /** As gnu, and the first word may be a cluster without a dash: `tar xf a.tar`. */
  | 'bundle';

/** What is known of a program. */
export interface RowParts {
  readonly usage?: string;
  readonly style?: OptionStyle;
  /** By names, parted by commas; `i=install` is another name of `install`, `*` is every other word. */
  readonly commands?: ProgramRows;
  /** True: the options before a subcommand may also stand after it. */
  readonly inherits?: true;
  /** What is different when an option is given; of several the first listed counts. */
  readonly with?: Readonly<Record<string, string>>;
  /** Further options that an option, an option and its value, or the first letter of an operand stand for. */
  readonly implies?: Readonly<Record<string, string>>;
  /** For an option with `key=value` as its value: the roles by key; a key that is not listed is harmful. */
  readonly keys?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Tells what its code of another language uses. */
  readonly scan?: CodeScan;
}

/** A usage, or one with what does not fit on its line. */
export type ProgramRow = string | RowParts;

/** Rows by names, parted by commas. */
export interface ProgramRows {
  readonly [names: string]: ProgramRow;
}

/** Many names over several lines, as one key. */
export function joinNames(text: string): string {
  return text.split(/,\s+/u).join(', ');
}
