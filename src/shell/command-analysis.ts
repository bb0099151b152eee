/** What a command line would do, as far as the line itself shows it. */

import type { Program } from './program.ts';

/** A word as the program would get it, or what is known of one that is not literal. */
export type ShellWord =
  | { readonly type: 'literal'; readonly value: string; readonly text: string }
  | {
      readonly type: 'open';
      /** Literal stretches in order; between two of them, before the first or after the last anything may stand. */
      readonly pieces: readonly string[];
      /** True: it may be several words, or none. */
      readonly splits: boolean;
      /** As written. */
      readonly text: string;
    };

export interface ShellCommand {
  /** The name first. More words may follow where `more` is true: those `xargs` adds, say. */
  readonly argv: readonly ShellWord[];
  readonly more: boolean;
  /** Set for this command, by the line or by a wrapper before it. */
  readonly assignments: readonly string[];
  /** True: a redirection of this command writes somewhere else than /dev/null or another descriptor. */
  readonly redirectsOut: boolean;
  /** What the table knows of it; undefined for an unlisted program or a name that is not literal. */
  readonly program: Program | undefined;
  /** The names of the wrappers it was started through, from the outside in. */
  readonly via: readonly string[];
}

export interface FileAccess {
  /** `either`: a program nobody knows may do both. */
  readonly mode: 'read' | 'write' | 'either';
  /** Undefined where it is not literal. */
  readonly path: string | undefined;
  readonly text: string;
  /**
   * Folders a relative path may start from, each relative to where the line starts: `['']` if nothing has moved,
   * `['', 'sub']` after `cd sub`. Undefined: nowhere that can be told.
   */
  readonly from: readonly string[] | undefined;
}

export interface CommandAnalysis {
  /** Every command bash would execute, at any depth; a wrapper, and what it starts. */
  readonly commands: readonly ShellCommand[];
  /** Why there may be commands that are not in the list. */
  readonly unknown: string | undefined;
  /** Why the line does not show what is done: a script, code of another language, a program nobody knows. */
  readonly opaque: string | undefined;
  /** Code of other languages that stands in the line. */
  readonly foreign: readonly string[];
  readonly files: readonly FileAccess[];
  /** Why there may be files that are not in the list. */
  readonly filesUnknown: string | undefined;
}
