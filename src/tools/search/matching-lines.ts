/** Finds the lines of a text that contain a query, in time that grows only with the text. */

import { BridleError } from '../../kernel/errors.ts';
import { compilePattern } from '../text/pattern.ts';
import { maxLineLength, type TextQuery } from './file-search.ts';

/** Yields the records of a text: `number:line` for a match, `number-line` for a line around one. */
export type LineFinder = (text: string) => Iterable<string>;

export function lineFinder({ query, regex = false, ignore_case = false, context_lines = 0 }: TextQuery): LineFinder {
  const matches = regex ? patternTest(`(?m${ignore_case ? 'i' : ''})${query}`) : textTest(query, ignore_case);
  // A query of several lines matches that many lines together.
  const height = query.split('\n').length;
  return function* (text) {
    // Most texts contain nothing, and one test tells.
    if (!regex && !matches(text)) return;
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    const found = new Set<number>();
    const shown = new Set<number>();
    for (let at = 0; at + height <= lines.length; at++) {
      if (!matches(height === 1 ? (lines[at] ?? '') : lines.slice(at, at + height).join('\n'))) continue;
      for (let each = at; each < at + height; each++) found.add(each);
      const end = Math.min(lines.length, at + height + context_lines);
      for (let each = Math.max(0, at - context_lines); each < end; each++) shown.add(each);
    }
    // In order: the context of a match starts after that of the match before it.
    for (const at of shown) yield line(lines, at, found.has(at) ? ':' : '-');
  };
}

function line(lines: readonly string[], at: number, mark: ':' | '-'): string {
  const text = lines[at] ?? '';
  const cut = `${text.slice(0, maxLineLength)} [... omitted end of long line]`;
  return `${at + 1}${mark}${Buffer.byteLength(text) > maxLineLength ? cut : text}`;
}

function textTest(query: string, isLoose: boolean): (text: string) => boolean {
  if (!isLoose) return (text) => text.includes(query);
  const wanted = query.toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}

function patternTest(query: string): (text: string) => boolean {
  const pattern = compilePattern(query);
  if ('problem' in pattern) throw new BridleError('TOOL_FAILED', `The search failed: ${pattern.problem}`);
  return (text) => pattern.test(text);
}
