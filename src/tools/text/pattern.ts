/** Compiles RE2 patterns: matching takes linear time. Their size is limited before they are compiled. */

import { RE2JS } from '@bufbuild/re2';
import { messageOf } from '../../kernel/errors.ts';

interface Pattern {
  /** The size of the automaton: the cost of one character. */
  readonly size: number;
  test(text: string): boolean;
}

const maxPatternLength = 1000;
const maxPatternSize = 1000;

/** The compiled pattern, or a message if it is invalid. */
export function compilePattern(text: string): Pattern | { readonly problem: string } {
  if (text.length > maxPatternLength) return { problem: `A pattern can have at most ${maxPatternLength} characters.` };
  if (/\\Q/.test(text)) return { problem: 'A pattern cannot use \\Q; put a backslash before each character instead.' };
  const tooLarge = { problem: 'The pattern repeats too much; use smaller counts.' };
  if (estimateSize(text) > maxPatternSize) return tooLarge;
  try {
    const compiled = RE2JS.compile(text);
    const { prog, dfa } = compiled.re2();
    // Limits the cache of states, each about a kilobyte.
    dfa.stateLimit = 1000;
    const size = prog.numInst();
    return size > 4 * maxPatternSize ? tooLarge : { size, test: (input) => compiled.test(input) };
  } catch (error) {
    return { problem: `The pattern is not valid RE2: ${messageOf(error).replace(/^error parsing regexp: /, '')}.` };
  }
}

/** One token of a pattern: an escape, a class, a group end, a count or a character. */
const patternToken =
  /\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|[^]/g;

/**
 * Estimates the size of the unrolled pattern, since nested counts multiply. At most 4 times smaller than what RE2
 * builds.
 */
export function estimateSize(text: string): number {
  const groups: number[] = [0];
  let last = 0;
  const add = (size: number): void => {
    groups[groups.length - 1] = (groups.at(-1) ?? 0) + size;
    last = size;
  };
  for (const [part, least, comma, most] of text.matchAll(patternToken)) {
    if (part === '(') groups.push(0);
    else if (part === ')') add(groups.length > 1 ? (groups.pop() ?? 0) + 1 : 1);
    else if (least === undefined) add(1);
    else add(last * Math.max(Number(least), Number(most), comma === ',' && most === '' ? Number(least) + 1 : 1));
  }
  return groups.reduce((sum, size) => sum + size, 0);
}
