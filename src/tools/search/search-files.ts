/** Searches a checked folder with ripgrep, or without it if it is not installed. */

import type { FileSearch } from './file-search.ts';
import { findRipgrep } from './find-ripgrep.ts';
import { searchWithoutRipgrep } from './own-search.ts';
import { runRipgrep } from './ripgrep.ts';

export interface RipgrepOptions {
  /**
   * Absolute path of ripgrep. Default: that of the package `@vscode/ripgrep`, or one that the system has installed; without
   * them, Bridle searches itself, which is slower. `false`: Bridle always searches itself.
   */
  readonly ripgrep?: string | false | undefined;
}

/** Resolves when the search is complete or `take` returned false, with notes about what was not searched. */
export async function searchFiles(search: FileSearch, { ripgrep }: RipgrepOptions): Promise<readonly string[]> {
  const program = ripgrep === false ? undefined : (ripgrep ?? findRipgrep());
  search.signal.throwIfAborted();
  return program === undefined ? searchWithoutRipgrep(search) : runRipgrep(program, search);
}
