/** What a command line would do, as far as the line shows it. */

import type { Program } from '../usage/program.ts';
import type { NameFilter, FolderReach } from '../usage/value-role.ts';
import type { ShellWord } from '../words/shell-word.ts';
import type { NameChoice } from '../words/word-choices.ts';

export type { ShellWord };

export interface ShellCommand {
  /**
   * The command name first. Empty if the line only sets variables or opens files. If `more` is true, further words may
   * follow.
   */
  readonly argv: readonly ShellWord[];
  readonly more: boolean;
  /** Variables set for this command, by the line or by a wrapper. */
  readonly assignments: readonly string[];
  /** True: a redirection of this command writes to a file other than /dev/null, or may open a network connection. */
  readonly redirectsOut: boolean;
  /** The entry in the program table. Undefined for an unlisted program or a name that is not literal. */
  readonly program: Program | undefined;
  /** The names of the wrappers that start it, outermost first. */
  readonly via: readonly string[];
}

export interface FileAccess {
  /** `either`: an unknown program may read or write it. */
  readonly mode: 'read' | 'write' | 'either';
  /** Undefined if it is not literal. */
  readonly path: string | undefined;
  readonly text: string;
  /**
   * Every folder that a relative path may start from, each relative to the folder in which the line starts: `['']`
   * without any `cd`, `['sub']` after `cd sub &&`, `['', 'sub']` after `cd sub;`. Undefined: not known.
   */
  readonly from: readonly string[] | undefined;
  /** Why `from` is not known. */
  readonly fromUnknown?: string | undefined;
  /** Set if the line changes folders: the position of the command. What earlier commands do may redirect `from`. */
  readonly order?: number | undefined;
  readonly enteredBy?: number | undefined;
  /**
   * Which part of a folder at `path` is touched; the default is anything at or below it. `itself`: only that entry, and
   * no link can replace it. `path`: the same, plus missing parent folders. `tree`: it and everything that is below it
   * now. `into`: plain files are created, inside it if it is a folder. `onto`: like `into`, with everything below a
   * source. `sync`: like `onto`, at it or inside it. `link`: a link is created, inside it if it is a folder. `walked`:
   * like `tree`, without following links. `visible`: like `walked`, without hidden names and names in `.gitignore`.
   * `unignored`: like `walked`, without names in `.gitignore`. `picked`: files that the program selects there by
   * itself; the line does not show which.
   */
  readonly reach?: Exclude<FolderReach, 'filled'> | undefined;
  /** For a folder that is read recursively: base names that include or exclude files and folders. */
  readonly filters?: readonly NameFilter[] | undefined;
  /** The option of the program that excludes files by name. */
  readonly excludeOption?: string | undefined;
  /** For a destination: everything that is copied, moved or linked there. Undefined if the list would be incomplete. */
  readonly sources?: readonly FileAccess[] | undefined;
  /** True: only metadata is read (name, size, dates, or the names in a folder). No file is opened. */
  readonly metadataOnly?: boolean | undefined;
  /** True: it may happen more than once. */
  readonly repeated?: boolean | undefined;
  /** True: only a link to it is created. */
  readonly linkOnly?: boolean | undefined;
  /** True: no word names it. The program works in that folder by default. */
  readonly implied?: boolean | undefined;
  /**
   * Set if the line does not show the names of the files: in the folder, or in the git working tree around it.
   * `repository`: anything may be touched if the folder belongs to another repository than the one in which the line
   * starts.
   */
  readonly unnamed?: 'folder' | 'worktree' | 'repository' | undefined;
  /**
   * True: it is possibly not touched. The word may be the value of an unknown option, or a condition may not match.
   */
  readonly uncertain?: boolean | undefined;
  /** If `path` is not literal: text that it ends with. */
  readonly pathEnd?: string | undefined;
  /** If `path` is a glob pattern: the pattern, with `*`, `?` and backslash escapes. */
  readonly glob?: string | undefined;
  /** If `path` is one of several names on the disk: which ones. */
  readonly diskName?: NameChoice | undefined;
}

export interface CommandAnalysis {
  /** Every command that bash would execute, at any depth: wrappers and the commands they start. */
  readonly commands: readonly ShellCommand[];
  /** Why commands may be missing from the list. */
  readonly unknown: string | undefined;
  /** Why the line does not show what it does: a script, code in another language, an unknown program. */
  readonly opaque: string | undefined;
  /** Code in other languages that is part of the line. */
  readonly foreign: readonly string[];
  readonly files: readonly FileAccess[];
  /** Why files may be missing from the list. */
  readonly filesUnknown: string | undefined;
  /** True: files that may be missing from the list are only read. */
  readonly missingIsRead?: boolean | undefined;
}
