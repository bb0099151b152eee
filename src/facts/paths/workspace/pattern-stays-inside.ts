/**
 * Decides whether a glob can match anything outside the folder it starts from (W08). The pattern is interpreted as a
 * state machine over path prefixes: each character advances all possible states, and the states of alternatives are
 * united. This covers all expansions without writing them out.
 *
 * Wildcards never match `..`: listing a folder does not return it.
 */

import { refusePath, type PathRefusal } from '../resolve/path-refusal.ts';

/** The possible states of the path so far, as bits of a set. */
const states = {
  /** Nothing read yet. */
  start: 1,
  /** The last character is a slash. */
  slash: 2,
  /** The current name is `.` so far. */
  dot: 4,
  /** The current name is `..` so far. */
  dots: 8,
  /** The path is `~` so far. */
  tilde: 16,
  other: 32,
  /** The path has left the folder. */
  out: 64,
} as const;

const maxLength = 4096;
/** Repeated groups are read several times, so nesting multiplies the work. */
const maxDepth = 5;
const openers: Readonly<Partial<Record<string, string>>> = { '{': ',}', '(': '|)' };

export type PatternCheck = { readonly type: 'inside' } | PathRefusal;

/** Refuses patterns that are absolute or go up with `..`, in any alternative or spelling. */
export function patternStaysInside(pattern: unknown): PatternCheck {
  if (typeof pattern !== 'string') return refusePath('is not a string');
  if (pattern === '') return refusePath('is empty');
  if (pattern.length > maxLength) return refusePath(`is longer than ${maxLength} characters`);
  if (pattern.includes('\0')) return refusePath('contains a NUL character');
  if (/^[a-z]:/i.test(pattern)) return refusePath('is an absolute pattern');
  const classes = pattern.match(/\[[^/\]]*\]/g) ?? [];
  if (classes.some((text) => /[{}()|,]/.test(text)))
    return refusePath('mixes brackets and alternatives, which programs interpret differently');
  // For some programs a backslash escapes the next character, for others it separates names.
  const leaves = [pattern, pattern.replaceAll('\\', '/')].some((text) => new PatternReader(text).leaves());
  return leaves ? refusePath('is absolute or leads out of its folder (/, ~ or ..)') : { type: 'inside' };
}

class PatternReader {
  private readonly text: string;
  private position = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  leaves(): boolean {
    const end = this.readUntil(states.start, '');
    return (end & (states.out | states.dots | states.tilde)) !== 0;
  }

  /** Reads up to one of `ends` and stops in front of it. */
  private readUntil(from: number, ends: string): number {
    let set = from;
    while (this.position < this.text.length && !ends.includes(this.next())) set = this.readItem(set);
    return set;
  }

  private readItem(set: number): number {
    const character = this.next();
    const quantified = '@?*+!'.includes(character) && this.text[this.position + 1] === '(';
    if (quantified) this.position += 1;
    const opened = this.next();
    const marks = openers[opened];
    if (marks !== undefined) return this.enterGroup(set, marks, quantified ? character : '@');
    if (character === '[') return this.readClass(set);
    if (character === '\\') this.position += 1;
    const literal = this.next();
    this.position += 1;
    if (character === '*') return stepWildcard(set) | (set & ~(states.start | states.slash));
    return character === '?' ? stepWildcard(set) : step(set, literal);
  }

  /** A pattern that is nested too deeply counts as leaving. */
  private enterGroup(set: number, marks: string, quantifier: string): number {
    if (this.depth === maxDepth) {
      this.position = this.text.length;
      return states.out;
    }
    this.depth += 1;
    const result = this.readGroup(set, marks, quantifier);
    this.depth -= 1;
    return result;
  }

  private readGroup(set: number, marks: string, quantifier: string): number {
    const begin = this.position + 1;
    let result = '?*!'.includes(quantifier) ? set | (quantifier === '!' ? stepWildcard(set) : 0) : 0;
    let from = set;
    for (;;) {
      this.position = begin;
      result |= this.readAlternatives(from, marks);
      const repeats = '*+'.includes(quantifier) && (result | from) !== from;
      if (!repeats) return result;
      from |= result;
    }
  }

  private readAlternatives(set: number, marks: string): number {
    let result = 0;
    for (;;) {
      result |= this.readUntil(set, marks);
      const closed = this.position >= this.text.length || this.next() === marks[1];
      this.position += 1;
      if (closed) return result;
    }
  }

  /** Reads a character class: it may be a dot if a dot is a member. A bracket without an end is a normal character. */
  private readClass(set: number): number {
    const found = /^\[[^/\]]+\]/.exec(this.text.slice(this.position))?.[0];
    this.position += found?.length ?? 1;
    if (found === undefined) return step(set, '[');
    const mayBeDot = /^\[[!^]|[.:-]/.test(found);
    return step(set, 'x') | (mayBeDot ? step(set, '.') : 0);
  }

  private next(): string {
    return this.text[this.position] ?? '';
  }
}

function stepWildcard(set: number): number {
  return step(set, 'x');
}

/** Advances all states by one character. */
function step(set: number, character: string): number {
  let result = set & states.out;
  const move = (from: number, to: number): void => {
    if ((set & from) !== 0) result |= to;
  };
  const { start, slash, dot, dots, tilde, other, out } = states;
  if (character === '/') {
    move(start | dots | tilde, out);
    move(slash | dot | other, slash);
    return result;
  }
  move(start, character === '.' ? dot : character === '~' ? tilde : other);
  move(slash, character === '.' ? dot : other);
  move(dot, character === '.' ? dots : other);
  move(dots | tilde | other, other);
  return result;
}
