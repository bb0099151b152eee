/** What a command line would do, as far as the line itself shows it. */

import type { Program } from '../usage/program.ts';
import type { NameFilter, FolderReach } from '../usage/value-role.ts';
import type { ShellWord } from '../words/shell-word.ts';
import type { NameChoice } from '../words/word-choices.ts';

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
   * Every folder a relative path may start from, each a path relative to where the line starts: `['']` if nothing has
   * moved, `['sub']` after `cd sub &&`, `['', 'sub']` after `cd sub;`. Undefined: not known.
   */
  readonly from: readonly string[] | undefined;
  /** Why `from` is not known. */
  readonly fromUnknown?: string | undefined;
  /** Where the line moves: the number of the command; what commands with a lower one do may lead `from` elsewhere. */
  readonly order?: number | undefined;
  readonly enteredBy?: number | undefined;
  /**
   * What of a folder at `path` is touched. `itself`: that entry alone, and no link can come to stand there. `path`: the
   * same, and folders above it that are missing. `tree`: it and what stands below it now. `into`: plain files are made,
   * in it if it is a folder. `onto`: the same with all that is below a source. `sync`: the same, at it or in it. `link`:
   * a link is made, in it if it is a folder. `walked`: as `tree`, without what links lead to. `visible`: the same, without hidden names and those that `.gitignore`
   * leaves out. `unignored`: without the latter. `picked`: what the program finds there by itself, which the line does
   * not show. Anything at or below it, if not told.
   */
  readonly reach?: Exclude<FolderReach, 'filled'> | undefined;
  /** Of a folder that is read with all below it: by which base names files and folders are taken or left out. */
  readonly filters?: readonly NameFilter[] | undefined;
  /** The option of the program that would leave out files by their names. */
  readonly excludeOption?: string | undefined;
  /** Of a destination: what is copied, moved or linked there; undefined if that is not all. */
  readonly sources?: readonly FileAccess[] | undefined;
  /** True: it is looked at (its name, size, dates, or the names in a folder); a file is not opened. */
  readonly metadataOnly?: boolean | undefined;
  /** True: it may be done more than once. */
  readonly repeated?: boolean | undefined;
  /** True: only a link to it is made. */
  readonly linkOnly?: boolean | undefined;
  /** True: no word names it, the program works in that folder by itself. */
  readonly implied?: boolean | undefined;
  /**
   * Of what no word names, or what git puts at or below a path: it has names that the line does not tell, in the folder,
   * or in git's working tree around it. `repository`: it may be anything, if the folder belongs to another repository
   * than the one that the line starts in.
   */
  readonly unnamed?: 'folder' | 'worktree' | 'repository' | undefined;
  /** True: it is perhaps not touched: it may be the value of an option nobody knows, or not fit a condition. */
  readonly uncertain?: boolean | undefined;
  /** Where `path` is not literal: text it surely ends with. */
  readonly pathEnd?: string | undefined;
  /** Where `path` is a pattern of file names: with `*` and `?`, other letters literal after a backslash or as they are. */
  readonly glob?: string | undefined;
  /** Where `path` is one of the names that stand on the disk: which. */
  readonly diskName?: NameChoice | undefined;
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
