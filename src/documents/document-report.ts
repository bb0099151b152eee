/** Everything that is wrong with a policy file, each with its place. */

import { BridleError } from '../errors.ts';
import type { Place } from './document.ts';

const mostProblems = 50;

/** Collects problems of one file; a file is taken whole or refused whole. */
export class DocumentReport {
  private readonly lines: readonly number[];
  private readonly found = new Map<string, Place>();
  private left = 0;

  constructor(
    readonly file: string,
    text: string,
  ) {
    const lines = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
    this.lines = lines;
  }

  /** The line and column of an offset; columns count UTF-16 units, as editors do. */
  place(offset: number): Place {
    let [low, high] = [0, this.lines.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.lines[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.lines[low] as number) + 1 };
  }

  /** Gives undefined, which is what a problem leaves of the value that has it. Words that cost are asked for late. */
  problem(at: number | Place, what: string | (() => string)): undefined {
    if (this.found.size >= mostProblems) {
      this.left++;
      return undefined;
    }
    const place = typeof at === 'number' ? this.place(at) : at;
    const words = typeof what === 'string' ? what : what();
    this.found.set(`${this.file}:${place.line}:${place.column}: ${words}`, place);
    return undefined;
  }

  /** Throws `POLICY_FILE` with every problem in the order of the file, if there is one. */
  refuse(): void {
    if (this.found.size === 0) return;
    const problems = [...this.found]
      .toSorted(([, a], [, b]) => a.line - b.line || a.column - b.column)
      .map(([text]) => text);
    if (this.left > 0) problems.push(`${this.file}: and ${this.left} more`);
    throw new BridleError('POLICY_FILE', problems.join('\n'), { problems });
  }
}
