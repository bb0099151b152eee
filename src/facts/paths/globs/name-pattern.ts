/**
 * The pattern for one name: `*` matches any characters, `?` one, `[a-z]` one of a class; a backslash makes the next
 * character literal.
 */

import { characterClassAt } from '../../expand-braces.ts';

type Token =
  | { readonly type: 'star' }
  | { readonly type: 'any' }
  | { readonly type: 'character'; readonly value: string }
  | { readonly type: 'class'; readonly not: boolean; readonly ranges: readonly (readonly [number, number])[] };

/** One way to compare names. */
export interface NameTest {
  /** The only name that fits, if the pattern has no wildcards. */
  readonly literal: string | undefined;
  fits(name: string): boolean;
}

export interface NamePattern {
  /** The name itself, if it has no wildcards. */
  readonly literal: string | undefined;
  readonly exact: NameTest;
  /** For names that are already folded. */
  readonly loose: NameTest;
  /** `loose`: ignores case, and the two ways to encode an accent. */
  matches(name: string, loose: boolean): boolean;
}

/** Parses the pattern of one name, or returns its problem. */
export function readNamePattern(text: string): NamePattern | { readonly problem: string } {
  const tokens = tokensOf(text);
  if (typeof tokens === 'string') return { problem: tokens };
  const whole = tokensOf(foldCase(text));
  const folded = typeof whole === 'string' ? tokens.map(foldToken) : whole;
  return namePatternOf(nameTestOf(tokens, inClass), nameTestOf(folded, inLooseClass));
}

/** The pattern that matches exactly this name, even if it contains wildcard characters. */
export function literalNamePattern(name: string): NamePattern {
  return namePatternOf(literalTest(name), literalTest(foldCase(name)));
}

function namePatternOf(exact: NameTest, loose: NameTest): NamePattern {
  const matches = (name: string, isLoose: boolean): boolean =>
    isLoose ? loose.fits(foldCase(name)) : exact.fits(name);
  return { literal: exact.literal, exact, loose, matches };
}

function literalTest(literal: string): NameTest {
  return { literal, fits: (name) => name === literal };
}

/** Compares the literal start and end first: that rules out most names. */
function nameTestOf(tokens: readonly Token[], isIn: ClassTest): NameTest {
  const literal = literalOf(tokens);
  if (literal !== undefined) return literalTest(literal);
  const isWildcard = ({ type }: Token): boolean => type !== 'character';
  const [first, last] = [tokens.findIndex(isWildcard), tokens.findLastIndex(isWildcard)];
  const head = literalOf(tokens.slice(0, first)) ?? '';
  const tail = literalOf(tokens.slice(last + 1)) ?? '';
  const least = head.length + tail.length;
  const isOneStar = first === last && tokens[first]?.type === 'star';
  return {
    literal: undefined,
    fits: (name) =>
      name.length >= least &&
      name.startsWith(head) &&
      name.endsWith(tail) &&
      (isOneStar || matchTokens(tokens, Array.from(name), isIn)),
  };
}

/** The text, if it has no wildcards. */
function literalOf(tokens: readonly Token[]): string | undefined {
  const values = tokens.map((token) => (token.type === 'character' ? token.value : undefined));
  return values.every((value) => value !== undefined) ? values.join('') : undefined;
}

/** Folds names that a file system may treat as equal to one spelling. */
export function foldCase(text: string): string {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** For a pattern that cannot be folded as a whole: a class from `Z` to `a` would become empty. */
function foldToken(token: Token): Token {
  return token.type === 'character' ? { ...token, value: foldCase(token.value) } : token;
}

function tokensOf(text: string): readonly Token[] | string {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const value = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (value === '[') {
      const found = characterClassAt(text, at);
      const token = found === undefined ? undefined : readClass(found);
      if (found === undefined || token === undefined) return 'has a bracket that is not closed or is empty';
      tokens.push(token);
      at += found.length;
    } else if (value === '\\') {
      const escaped = text.codePointAt(at + 1);
      if (escaped === undefined) return 'ends with a backslash';
      tokens.push({ type: 'character', value: String.fromCodePoint(escaped) });
      at += 1 + String.fromCodePoint(escaped).length;
    } else {
      const isStar = value === '*';
      if (!isStar || tokens.at(-1)?.type !== 'star')
        tokens.push(isStar ? { type: 'star' } : value === '?' ? { type: 'any' } : { type: 'character', value });
      at += value.length;
    }
  }
  return tokens;
}

function readClass(text: string): Token | undefined {
  const not = /^\[[!^]/.test(text);
  const members = Array.from(text.slice(not ? 2 : 1, -1).matchAll(/\\([^])|([^])/gu), ([, escaped, plain]) => ({
    code: (escaped ?? plain ?? '').codePointAt(0) ?? 0,
    isDash: plain === '-',
  }));
  if (members.length === 0) return undefined;
  const ranges: [number, number][] = [];
  for (let at = 0; at < members.length; at++) {
    const first = members[at]?.code ?? 0;
    const last = members[at + 1]?.isDash === true ? members[at + 2] : undefined;
    if (last !== undefined && last.code < first) return undefined;
    ranges.push([first, last?.code ?? first]);
    if (last !== undefined) at += 2;
  }
  return { type: 'class', not, ranges };
}

type ClassTest = (token: Token & { type: 'class' }, character: string) => boolean;

const inClass: ClassTest = ({ not, ranges }, character) => {
  const code = character.codePointAt(0) ?? 0;
  return ranges.some(([first, last]) => code >= first && code <= last) !== not;
};

const inLooseClass: ClassTest = (token, character) =>
  [character, character.toUpperCase(), character.toLowerCase()].some((each) => inClass(token, each));

/** Backtracks to the last star only: at most tokens times characters steps. */
function matchTokens(tokens: readonly Token[], name: readonly string[], isIn: ClassTest): boolean {
  let [at, token, star, resume] = [0, 0, -1, 0];
  while (at < name.length) {
    const next = tokens[token];
    const character = name[at] ?? '';
    if (next?.type === 'star') {
      star = token++;
      resume = at;
    } else if (next !== undefined && matchesToken(next, character, isIn)) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++resume;
    } else return false;
  }
  while (tokens[token]?.type === 'star') token++;
  return token === tokens.length;
}

function matchesToken(token: Token, character: string, isIn: ClassTest): boolean {
  if (token.type === 'character') return token.value === character;
  return token.type === 'any' || (token.type === 'class' && isIn(token, character));
}
