/** What the arguments and the input of a program are to it. */

/** What an operand, or the value of an option, is to its program. */
export type ValueRole =
  /** Nothing that touches anything: a number, a pattern, a message. */
  | 'text'
  /** A file or folder that is read, written (made, changed, deleted), or may be both. */
  | 'reads'
  | 'writes'
  | 'either'
  /** A file or folder of which only name, size, dates and the like are looked at; a file is not opened. */
  | 'entry'
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
  /** The name of a variable that is set. */
  | 'variable'
  /** Text that bash evaluates as arithmetic. */
  | 'arithmetic'
  /** Nobody knows what is done with it; it may be started. */
  | 'harmful';

/** How a program touches files that no argument names. */
export type ImpliedAccess =
  /** The working folder, as if it were named: the names in it, or all that stands below. */
  | 'lists'
  | 'searches'
  | 'walked'
  /** All that stands below it is deleted or changed. */
  | 'sweeps'
  /** The same, but for what is hidden or ignored; all of the working tree of git but for what is ignored. */
  | 'visible'
  | 'unignored'
  /** In the working folder or below it. */
  | 'reads'
  | 'writes'
  /** The same, under names that the line does not tell; in all of the working tree of git. */
  | 'anything'
  | 'worktree'
  /** Files that git takes from its history, which may run hooks: only where it is sent to a folder. */
  | 'history'
  /** Anywhere. */
  | 'elsewhere';

/** What standard input is to a program. */
export type StdinUse = 'code' | 'foreign' | 'words' | 'data';

/** What a program puts out: its words, its words by a format, or its input as it is. */
export type OutputKind = 'words' | 'format' | 'stdin';

/**
 * What of a folder that an argument names is touched: that entry alone, it and what stands below it, or, of a
 * destination, entries made in it: files (`into`), trees (`onto`, or `sync` where a slash at the end of a source means
 * what is in it), or a link (`link`). `path`: a folder that is made, with those above it. `walked`: as `tree`, without
 * what links in it lead to. `visible`: the same, without hidden names and those that files such as `.gitignore` leave
 * out. `unignored`: without the latter only. `picked`: the program finds files of its own kind below it, by rules that
 * the line does not show. `filled`: the same of files that it makes there. Anything at or below it, if not told.
 */
export type FolderReach =
  | 'itself'
  | 'path'
  | 'tree'
  | 'walked'
  | 'into'
  | 'onto'
  | 'sync'
  | 'link'
  | 'visible'
  | 'unignored'
  | 'picked'
  | 'filled';

/** A pattern with `*` and `?` for base names; of those that fit a name the last one counts. */
export interface NameFilter {
  /**
   * `include`: only such files are read; `exclude`: they are not; `prune`: such folders are not entered. `glob`: only
   * such files are read, hidden and ignored ones as well.
   */
  readonly type: 'include' | 'exclude' | 'prune' | 'glob';
  readonly pattern: string;
}
