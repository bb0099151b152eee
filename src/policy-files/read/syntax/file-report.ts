/** Collects the problems of a policy file, each with its position. */

import { LineCounter } from 'yaml';
import { BridleError } from '../../../kernel/errors.ts';
import type { FilePosition } from '../../policy-file.ts';

const maxProblems = 50;

/** The problems of one file. A file with any problem is rejected as a whole. */
export class FileReport {
  private readonly lines = new LineCounter();
  private readonly problems = new Map<string, FilePosition>();
  private omitted = 0;

  constructor(
    readonly file: string,
    text: string,
  ) {
    this.lines.addNewLine(0);
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.lines.addNewLine(at + 1);
  }

  /** The line and column of an offset; columns count UTF-16 units, as editors do. */
  positionOf(offset: number): FilePosition {
    const { line, col } = this.lines.linePos(offset);
    return { line, column: col };
  }

  /**
   * Adds a problem. Returns undefined, so a reader can return the result. Expensive messages are passed as functions.
   */
  problem(at: number | FilePosition, what: string | (() => string)): undefined {
    if (this.problems.size >= maxProblems) {
      this.omitted++;
      return undefined;
    }
    const position = typeof at === 'number' ? this.positionOf(at) : at;
    const message = typeof what === 'string' ? what : what();
    this.problems.set(`${this.file}:${position.line}:${position.column}: ${message}`, position);
    return undefined;
  }

  /** Throws `POLICY_FILE` with all problems in file order, if there are any. */
  throwIfAny(): void {
    if (this.problems.size === 0) return;
    const sorted = [...this.problems]
      .toSorted(([, a], [, b]) => a.line - b.line || a.column - b.column)
      .map(([text]) => text);
    if (this.omitted > 0) sorted.push(`${this.file}: and ${this.omitted} more`);
    throw new BridleError('POLICY_FILE', sorted.join('\n'), { problems: sorted });
  }
}
