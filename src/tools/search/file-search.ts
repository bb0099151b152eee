/** What a search is asked, and what it reports, with and without ripgrep. */

import type { CheckedPath } from '../../kernel/call.ts';

/** Longer lines are cut. */
export const maxLineLength = 400;

/** What lines must contain. */
export interface TextQuery {
  readonly query: string;
  readonly regex?: boolean;
  readonly ignore_case?: boolean;
  /** Only files that match this pattern: a name, or with a slash a path below the folder. */
  readonly include?: string;
  readonly context_lines?: number;
}

export interface FileSearch {
  readonly folder: CheckedPath;
  /** Without it, all files are found. */
  readonly text?: TextQuery | undefined;
  readonly signal: AbortSignal;
  /**
   * Receives each file, or each line of it that is shown: `name\0number:line` for a match, `name\0number-line` for its
   * context. Returning false ends the search.
   */
  readonly take: (record: string) => boolean;
}
