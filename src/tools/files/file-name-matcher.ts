/** Matches file names against a pattern in time proportional to pattern length times name length. */

import { BridleError } from '../../kernel/errors.ts';

type Token =
  | { readonly type: 'text'; readonly character: string }
  | { readonly type: 'one' }
  | { readonly type: 'set'; readonly pattern: RegExp }
  /** `isDeep` crosses slashes. */
  | { readonly type: 'any'; readonly isDeep: boolean };

const maxAlternatives = 100;
/** The most tokens of all alternatives together: each may be tested for every character of a name. */
const maxTokens = 2000;

/**
 * A pattern with `*`, `?`, `[…]` or `{a,b}` must match the whole name, or the whole path if it contains a slash. Any
 * other text must be part of the name. Ignores case.
 */
export function fileNameMatcher(query: string): (path: string) => boolean {
  const wanted = query.toLowerCase();
  const hasFolder = wanted.includes('/');
  const subject = (path: string): string => (hasFolder ? path : path.slice(path.lastIndexOf('/') + 1)).toLowerCase();
  if (!/[*?[{]/.test(wanted)) return (path) => subject(path).includes(wanted);
  const patterns = expandAlternatives(wanted.replace(/^\.?\//, '')).map(tokenize);
  if (patterns.reduce((sum, pattern) => sum + pattern.length, 0) > maxTokens) {
    throw new BridleError('TOOL_FAILED', 'The pattern is too long.');
  }
  return (path) => {
    const characters = Array.from(subject(path));
    return patterns.some((pattern) => matches(pattern, characters));
  };
}

function expandAlternatives(pattern: string): string[] {
  const group = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (group === null) return [pattern];
  const [before, after] = [pattern.slice(0, group.index), pattern.slice(group.index + group[0].length)];
  const all = (group[1] ?? '').split(',').flatMap((choice) => expandAlternatives(before + choice + after));
  if (all.length > maxAlternatives) throw new BridleError('TOOL_FAILED', 'The pattern has too many alternatives.');
  return all;
}

function tokenize(pattern: string): readonly Token[] {
  // Repeated `**/` match the same as one.
  const parts = pattern.replaceAll(/(?:\*\*\/)+/g, '**/').match(/\*\*\/?|\*|\?|\[!?[^\]/]+\]|[^]/gu) ?? [];
  return parts.map((part): Token => {
    if (part.startsWith('**')) return { type: 'any', isDeep: true };
    if (part === '*') return { type: 'any', isDeep: false };
    if (part === '?') return { type: 'one' };
    if (part.length > 2 && part.startsWith('[')) return { type: 'set', pattern: characterSet(part) };
    return { type: 'text', character: part };
  });
}

function characterSet(part: string): RegExp {
  const isNot = part.startsWith('[!');
  const inner = part.slice(isNot ? 2 : 1, -1).replace(/[\\^[\]&~]/g, String.raw`\$&`);
  try {
    return new RegExp(`^[${isNot ? '^/' : ''}${inner}]$`, 'u');
  } catch (error) {
    throw new BridleError('TOOL_FAILED', `${part} is not a set of characters.`, { cause: error });
  }
}

/** Advances through the name with the set of all reachable pattern positions. */
function matches(pattern: readonly Token[], characters: readonly string[]): boolean {
  let reached = skipAny(pattern, new Set([0]));
  for (const character of characters) {
    const next = new Set<number>();
    for (const at of reached) {
      const token = pattern[at];
      if (token === undefined || !accepts(token, character)) continue;
      next.add(token.type === 'any' ? at : at + 1);
    }
    reached = skipAny(pattern, next);
    if (reached.size === 0) return false;
  }
  return reached.has(pattern.length);
}

/** `*` may match nothing. */
function skipAny(pattern: readonly Token[], places: Set<number>): Set<number> {
  for (const at of places) if (pattern[at]?.type === 'any') places.add(at + 1);
  return places;
}

function accepts(token: Token, character: string): boolean {
  switch (token.type) {
    case 'text':
      return token.character === character;
    case 'one':
      return character !== '/';
    case 'set':
      return token.pattern.test(character);
    case 'any':
      return token.isDeep || character !== '/';
    default:
      return token satisfies never;
  }
}
