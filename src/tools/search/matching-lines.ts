/**
 * Finds the lines of a text that contain a query, in time that grows only with the text, and in small steps: between
 * them, its caller can let other work run, or stop.
 */

import { BridleError } from '../../kernel/errors.ts';
import { compilePattern } from '../text/pattern.ts';
import { maxLineLength, type TextQuery } from './file-search.ts';
import type { SearchLimits } from './search-limits.ts';

/** What is computed in steps: `undefined` ends a step that found nothing. */
type Steps<Found, Result = void> = Generator<Found | undefined, Result>;

/** Yields the records of a text: `number:line` for a match, `number-line` for a line around one. */
export type LineFinder = (text: string) => Steps<string>;

/** The lines of a match: from `first` to before `end`. */
interface Match {
  readonly first: number;
  readonly end: number;
}

interface Lines {
  readonly text: string;
  /** Where each line starts. A line break at the end starts none. */
  readonly starts: readonly number[];
}

type Matcher = (text: string) => Steps<Match>;

/** A step takes some 10 ms at most, but testing the longest line up to 150 ms. */
const maxStepCost = 64_000_000;
const stepLines = 10_000;
const stepPatternCost = 200_000;
const maxPatternCost = 2_000_000;

export function lineFinder(query: TextQuery, limits: SearchLimits): LineFinder {
  const matches = query.regex === true ? patternMatcher(query, limits) : textMatcher(query);
  return (text) => records(text, matches(text), query.context_lines ?? 0);
}

function* records(text: string, matches: Steps<Match>, context: number): Steps<string> {
  let lines: Lines = { text, starts: [] };
  let [next, end] = [0, 0];
  for (const match of matches) {
    if (match === undefined) {
      yield undefined;
      continue;
    }
    if (lines.starts.length === 0) lines = yield* linesOf(text);
    while (next < Math.min(end, match.first)) yield line(lines, next++, '-');
    next = Math.max(next, match.first - context);
    while (next < match.first) yield line(lines, next++, '-');
    while (next < match.end) yield line(lines, next++, ':');
    end = Math.min(lines.starts.length, match.end + context);
  }
  while (next < end) yield line(lines, next++, '-');
}

function line(lines: Lines, at: number, mark: ':' | '-'): string {
  const shown = lines.text.slice(lines.starts[at], endOfLine(lines, at));
  const isLong = shown.length > maxLineLength || Buffer.byteLength(shown) > maxLineLength;
  return `${at + 1}${mark}${isLong ? `${shown.slice(0, maxLineLength)} [... omitted end of long line]` : shown}`;
}

function* linesOf(text: string): Steps<never, Lines> {
  const starts: number[] = [];
  for (let start = 0; start < text.length;) {
    starts.push(start);
    if (starts.length % stepLines === 0) yield undefined;
    const lineBreak = text.indexOf('\n', start);
    start = lineBreak === -1 ? text.length : lineBreak + 1;
  }
  return { text, starts };
}

/** Without its line break. */
function endOfLine({ text, starts }: Lines, at: number): number {
  const next = starts[at + 1];
  if (next !== undefined) return next - 1;
  return text.endsWith('\n') ? text.length - 1 : text.length;
}

function textMatcher({ query, ignore_case = false }: TextQuery): Matcher {
  const wanted = ignore_case ? query.toLowerCase() : query;
  const isOneLine = !query.includes('\n');
  return function* (text) {
    const searched = ignore_case ? text.toLowerCase() : text;
    let starts: readonly number[] = [];
    let first = 0;
    for (let at = 0; at < searched.length;) {
      const found = yield* indexOf(searched, wanted, at);
      if (found === -1) return;
      if (starts.length === 0) ({ starts } = yield* linesOf(searched));
      while ((starts[first + 1] ?? Infinity) <= found) first++;
      at = found + wanted.length;
      let end = first + 1;
      while ((starts[end] ?? Infinity) < at) end++;
      yield { first, end };
      if (isOneLine) at = starts[first + 1] ?? searched.length;
    }
  };
}

/** At worst, this takes as long as both texts multiplied: the longer the wanted text, the shorter a step. */
function* indexOf(text: string, wanted: string, from: number): Steps<never, number> {
  const step = Math.ceil(maxStepCost / Math.max(wanted.length, 1000));
  for (let at = from; at < text.length; at += step) {
    const found = text.slice(at, at + step + wanted.length).indexOf(wanted);
    if (found !== -1) return at + found;
    yield undefined;
  }
  return -1;
}

/** A query of several lines matches that many lines together. */
function patternMatcher({ query, ignore_case = false }: TextQuery, limits: SearchLimits): Matcher {
  const pattern = compilePattern(`(?m${ignore_case ? 'i' : ''})${query}`);
  if ('problem' in pattern) throw new BridleError('TOOL_FAILED', `The search failed: ${pattern.problem}`);
  const height = query.split('\n').length;
  return function* (text) {
    const lines = yield* linesOf(text);
    let cost = 0;
    for (let first = 0; first + height <= lines.starts.length; first++) {
      const start = lines.starts[first] ?? 0;
      const end = endOfLine(lines, first + height - 1);
      const own = (end - start + 1) * pattern.size;
      const isTooLong = own > maxPatternCost;
      if (isTooLong) limits.note('lines that are too long for this pattern were not searched');
      else if (pattern.test(text.slice(start, end))) yield { first, end: first + height };
      cost += isTooLong ? pattern.size : own;
      if (cost < stepPatternCost) continue;
      cost = 0;
      yield undefined;
    }
  };
}
