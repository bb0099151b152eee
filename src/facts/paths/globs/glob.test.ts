import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { matchGlobParts, readGlob, type GlobPart } from './glob.ts';

const partsOf = (pattern: string): readonly (readonly GlobPart[])[] => readGlob(pattern).map(({ parts }) => parts);
const namesOf = (path: string): readonly string[] => path.split('/').filter((name) => name !== '');

/** True if a path matches a pattern, both relative to the same folder. */
function fits(pattern: string, path: string): boolean {
  return partsOf(pattern).some((parts) => matchGlobParts(parts, namesOf(path)).fits);
}

function mayFitBelow(pattern: string, path: string): boolean {
  return partsOf(pattern).some((parts) => matchGlobParts(parts, namesOf(path)).mayFitBelow);
}

const starts = (pattern: string): readonly string[] => readGlob(pattern).map(({ start, up }) => `${start} ${up}`);

describe('a pattern', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', '.ts', true],
    ['*.ts', 'a/b.ts', false],
    ['*', '.env', true],
    ['?', 'é', true],
    ['?', '😀', true],
    ['?', 'ab', false],
    ['a?c', 'abc', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[]]', ']', true],
    ['[a-]', '-', true],
    ['[\\]a]', ']', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['\\{a\\}', '{a}', true],
    ['[{]', '{', true],
    ['**/x', 'x', true],
    ['**/x', 'a/b/x', true],
    ['**/x', 'a/xx', false],
    ['a/**', 'a', false],
    ['a/**', 'a/b', true],
    ['a/**', 'a/b/c', true],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**/**', 'a/b', true],
    ['a**z', 'abcz', true],
    ['a**z', 'ab/cz', false],
    ['{a,b}/c', 'b/c', true],
    ['{a,b/{c,d}}', 'b/d', true],
    ['a/{,b}/c', 'a/c', true],
    ['a{,.bak}', 'a', true],
    ['./a//b/', 'a/b', true],
    ['.env*', '.env.local', true],
    ['A', 'a', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(fits(pattern, path)).toBe(expected);
  });

  it.each([
    ['a/b', 'a', true],
    ['a/b', 'a/b', false],
    ['a/b', 'c', false],
    ['**/x', 'any/where', true],
    ['a/**', 'a/b/c', true],
    ['a/*/c', 'a/b', true],
    ['a/*/c', 'b', false],
  ])('%s may match something below %s: %s', (pattern, path, expected) => {
    expect(mayFitBelow(pattern, path)).toBe(expected);
  });

  it.each([
    ['', 'is empty'],
    ['{a,}', 'is empty'],
    ['[a', 'bracket'],
    ['[]', 'bracket'],
    ['[z-a]', 'bracket'],
    ['a[x/y]', 'bracket'],
    ['{a', 'brace'],
    ['a}', 'brace'],
    ['a\\', 'backslash'],
    ['a/../b', 'goes up'],
    ['/../b', 'goes up'],
    ['~user/x', '~'],
    ['\0', 'character'],
    ['\ud800', 'character'],
    ['a'.repeat(1025), 'longer'],
    ['{a,b}'.repeat(9), 'alternatives'],
    ['{'.repeat(9) + '}'.repeat(9), 'nested'],
  ])('that cannot mean what its author intended is refused: %s', (pattern, why) => {
    expect(() => readGlob(pattern)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    expect(() => readGlob(pattern)).toThrow(why);
  });

  it('that is not a string is refused', () => {
    expect(() => readGlob(7)).toThrow('a number');
  });

  it('starts at the root, at home, anywhere or in the folder, and may go up first', () => {
    expect(starts('/etc/*')).toEqual(['root 0']);
    expect(starts('**/x')).toEqual(['root 0']);
    expect(starts('~/x')).toEqual(['home 0']);
    expect(starts('../../x')).toEqual(['folder 2']);
    expect(starts('{/a,~/b,c}')).toEqual(['root 0', 'home 0', 'folder 0']);
  });
});

/** Parts of a pattern as data, so that the reference matcher needs no parser. */
type Piece = { readonly text: string; readonly takes: (rest: string) => readonly number[] };

const character = (value: string): Piece => ({
  text: /[*?[\]{},\\]/.test(value) ? `\\${value}` : value,
  takes: (rest) => (rest.startsWith(value) ? [value.length] : []),
});
const star: Piece = { text: '*', takes: (rest) => Array.from({ length: rest.length + 1 }, (_, taken) => taken) };
const anyOne: Piece = { text: '?', takes: (rest) => (rest === '' ? [] : [1]) };
const oneOf: Piece = { text: '[a-b]', takes: (rest) => (/^[ab]/.test(rest) ? [1] : []) };
const notOneOf: Piece = { text: '[!a]', takes: (rest) => (/^[^a]/.test(rest) ? [1] : []) };

function nameFits([piece, ...pieces]: readonly Piece[], name: string): boolean {
  if (piece === undefined) return name === '';
  return piece.takes(name).some((taken) => nameFits(pieces, name.slice(taken)));
}

function naive([part, ...parts]: readonly (readonly Piece[] | '**')[], names: readonly string[]): boolean {
  if (part === undefined) return names.length === 0;
  if (part === '**') {
    const least = parts.length === 0 ? 1 : 0;
    return Array.from({ length: names.length + 1 }, (_, taken) => taken).some(
      (taken) => taken >= least && naive(parts, names.slice(taken)),
    );
  }
  const [name, ...rest] = names;
  return name !== undefined && nameFits(part, name) && naive(parts, rest);
}

const letter = fc.constantFrom('a', 'b', 'c', '.', '*', '{', ',', '[', '-');
const name = fc.string({ unit: letter, minLength: 1, maxLength: 6 }).filter((text) => !/^\.\.?$/.test(text));
const piece = fc.oneof(letter.map(character), fc.constantFrom(star, anyOne, oneOf, notOneOf));
const part = fc.oneof(
  fc.constant('**' as const),
  fc.array(piece, { minLength: 1, maxLength: 5 }).filter((pieces) => {
    const text = pieces.map((each) => each.text).join('');
    return !/^(?:\.\.?|\*\*+)$/.test(text);
  }),
);

describe('matching', () => {
  it(proves('X08')('agrees with a naive matcher, and finds the folders that may contain matches'), () => {
    let matched = 0;
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.array(name, { maxLength: 5 }), (parts, names) => {
        const pattern = `/${parts.map((each) => (each === '**' ? '**' : each.map(({ text }) => text).join(''))).join('/')}`;
        const [read = []] = partsOf(pattern);
        const found = matchGlobParts(read, names);
        expect(found.fits, pattern).toBe(naive(parts, names));
        matched += Number(found.fits);
        // Every folder above a match may contain a match.
        if (found.fits)
          for (let length = 0; length < names.length; length++)
            expect(matchGlobParts(read, names.slice(0, length)).mayFitBelow, pattern).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
    expect(matched).toBeGreaterThan(100);
  });

  it('is fast for every pattern', () => {
    const started = performance.now();
    const long = 'a'.repeat(255);
    expect(fits(`${'*a'.repeat(400)}b`, long)).toBe(false);
    expect(fits(`${'**/'.repeat(300)}b`, Array.from({ length: 500 }, () => 'a').join('/'))).toBe(false);
    expect(fits(`${'**/*a/'.repeat(100)}b`, Array.from({ length: 500 }, () => long).join('/'))).toBe(false);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
