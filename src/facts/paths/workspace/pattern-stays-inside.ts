/**
 * Whether a glob pattern can name anything above the folder it starts from (W08). The pattern is read as a machine
 * over the beginnings of a path: each character moves every possible state, alternatives run side by side and are
 * joined. So all expansions are judged at once, without writing them out, whatever their number.
 *
 * Wildcards never stand for `..`: walking a folder does not yield it.
 */

import { refusePath, type PathRefusal } from '../resolve/path-refusal.ts';

/** What is known of the path so far; a set of states is a sum of them. */
const states = {
  /** Nothing yet. */
  start: 1,
  /** A slash came last. */
  slash: 2,
  /** The current name is `.` so far. */
  dot: 4,
  /** The current name is `..` so far. */
  dots: 8,
  /** The path is `~` so far. */
  tilde: 16,
  other: 32,
  /** It has left. */
  out: 64,
} as const;

const maxLength = 4096;
/** Repeated groups are read several times over, so nested ones multiply. */
const maxDepth = 5;
const openers: Readonly<Partial<Record<string, string>>> = { '{': ',}', '(': '|)' };

export type PatternCheck = { readonly type: 'inside' } | PathRefusal;

/** Refuses patterns that are absolute or climb, in any of their alternatives and spellings. */
export function patternStaysInside(pattern: unknown): PatternCheck {
  if (typeof pattern !== 'string') return refusePath('is not a text');
  if (pattern === '') return refusePath('is empty');
  if (pattern.length > maxLength) return refusePath(`is longer than ${maxLength} characters`);
  if (pattern.includes('\0')) return refusePath('holds a NUL character');
  if (/^[a-z]:/i.test(pattern)) return refusePath('is an absolute pattern');
  const classes = pattern.match(/\[[^/\]]*\]/g) ?? [];
  if (classes.some((text) => /[{}()|,]/.test(text)))
    return refusePath('mixes brackets and alternatives, which programs read differently');
  // A backslash escapes the next character for some programs and separates names for others.
  const leaves = [pattern, pattern.replaceAll('\\', '/')].some((text) => new PatternReader(text).leaves());
  return leaves ? refusePath('is absolute or climbs out of its folder (/, ~ or ..)') : { type: 'inside' };
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

  /** Reads up to one of `ends`, which is left standing. */
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

  /** A pattern nested too deeply counts as leaving. */
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

  /** One character out of several: a dot if it can be one. Without its end, a bracket is a character like any other. */
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

/** Where each state goes on one character. */
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
