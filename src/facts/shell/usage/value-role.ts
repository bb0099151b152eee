/** The meaning of arguments and standard input to a program. */

/** The role of an operand or option value. */
export type ValueRole =
  /** Touches nothing: a number, a pattern, a message. */
  | 'text'
  /** A file or folder that is read, written (created, changed, deleted), or possibly both. */
  | 'reads'
  | 'writes'
  | 'either'
  /** A file or folder of which only metadata is read, such as name, size and dates. No file is opened. */
  | 'entry'
  /** Another program: this word and all following ones. */
  | 'program'
  /** Code for a shell. */
  | 'code'
  /** Code in another language: awk, python, perl, a sed script that may run commands. */
  | 'foreign'
  /** A file whose content is run. */
  | 'script'
  /** A working folder. */
  | 'folder'
  /** `NAME=value` for the started program. */
  | 'assignment'
  /** The name of a variable to set. */
  | 'variable'
  /** Text that bash evaluates as arithmetic. */
  | 'arithmetic'
  /** Unknown use; it may be started. */
  | 'harmful';

/** Files that a program touches although no argument names them. */
export type ImpliedAccess =
  /** The working folder, as if it were named: its names, or everything below it. */
  | 'lists'
  | 'searches'
  | 'walked'
  /** Everything below it is deleted or changed. */
  | 'sweeps'
  /** Everything below it except hidden and ignored files; everything in the git working tree except ignored files. */
  | 'visible'
  | 'unignored'
  /** In the working folder or below it. */
  | 'reads'
  | 'writes'
  /** The same, with names that the line does not show; or anywhere in the git working tree. */
  | 'anything'
  | 'worktree'
  /** Files that git restores from its history, which may run hooks. Counts only if an option sends git to a folder. */
  | 'history'
  /** Anywhere. */
  | 'elsewhere';

/** How a program uses its standard input. */
export type StdinUse = 'code' | 'foreign' | 'words' | 'data';

/** What a program prints: its words, its words by a format, or its input unchanged. */
export type OutputKind = 'words' | 'format' | 'stdin';

/**
 * Which part of a folder argument is touched; the default is anything at or below it. `itself`: only that entry.
 * `path`: a folder that is created, with its parents. `tree`: it and everything below it. `walked`: like `tree`,
 * without following links. `visible`: like `walked`, without hidden names and names that files such as `.gitignore`
 * exclude. `unignored`: like `walked`, without excluded names. `into`, `onto`, `link`: entries created in a
 * destination: files, trees, or a link. `sync`: like `onto`, where a trailing slash of a source means its contents.
 * `picked`: files that the program selects below it by rules the line does not show. `filled`: files that it creates
 * below it in the same way.
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

/** A pattern with `*` and `?` for base names. If several match a name, the last one counts. */
export interface NameFilter {
  /**
   * `include`: only these files are read. `exclude`: these files are not read. `prune`: these folders are not entered.
   * `glob`: only these files are read, including hidden and ignored ones.
   */
  readonly type: 'include' | 'exclude' | 'prune' | 'glob';
  readonly pattern: string;
}
