/** What a command line would do, as far as the line itself shows it. */

import type { Program } from './program.ts';
import type { ShellWord } from './shell-word.ts';
import type { NameChoice } from './word-choices.ts';

export type { ShellWord };

export interface ShellCommand {
  /** The name first; empty where the line only sets variables or opens files. More may follow where `more` is true. */
  readonly argv: readonly ShellWord[];
  readonly more: boolean;
  /** Set for this command, by the line or by a wrapper before it. */
  readonly assignments: readonly string[];
  /** True: a redirection of this command writes somewhere else than /dev/null or another descriptor, or may connect. */
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
  /**
   * What of a folder at `path` is touched. `itself`: that entry alone, and no link can come to stand there. `tree`: it
   * and what stands below it now. `into`: plain files are made, in it if it is a folder. `onto`: the same, but a folder
   * or a link may come to stand there. Anything at or below it, if not told.
   */
  readonly reach?: 'itself' | 'tree' | 'into' | 'onto' | undefined;
  /** Of a destination: if `path` is a folder, entries with these names are meant in it, not the folder. */
  readonly names?: readonly string[] | undefined;
  /** True: no word names it, the program works in that folder by itself. */
  readonly implied?: boolean | undefined;
  /** Of what no word names: it has names that the line does not tell, in the folder, or in git's working tree around it. */
  readonly unnamed?: 'folder' | 'worktree' | undefined;
  /** Where `path` is not literal: text it surely ends with. */
  readonly ends?: string | undefined;
  /** Where `path` is a pattern of file names: with `*` and `?`, other letters literal after a backslash or as they are. */
  readonly glob?: string | undefined;
  /** Where `path` is one of the names that stand on the disk: which. */
  readonly listed?: NameChoice | undefined;
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
  /** True: whatever may be missing in the list is only read. */
  readonly missingIsRead?: boolean | undefined;
}
