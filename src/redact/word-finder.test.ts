/** Compares the word finder with a separate search for each word. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';
import { type SearchWord, WordFinder } from './secret-check.ts';

/** Few different characters, so that words occur. */
const unit = fc.constantFrom('a', 'b', 'A', 'B', '-', '_', '1', 'é', '😀', '\ud800');
/** Long texts are read in parts, with words across the boundaries. */
const text = fc.oneof(
  fc.string({ unit, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom('.', ' ', '.', 'é', 'a', 'b', 'A', '😀'), minLength: 60, maxLength: 500 }),
);
const word = fc
  .tuple(fc.string({ unit, minLength: 3, maxLength: 6 }), fc.boolean())
  .map(([given, exact]): SearchWord<number> => ({ text: exact ? given : given.toLowerCase(), exact, tag: 0 }));

function standsAt({ text: wanted, exact }: SearchWord<number>, given: string, at: number): boolean {
  const there = given.slice(at, at + wanted.length);
  return (exact ? there : there.toLowerCase()) === wanted;
}

function inOrder(list: readonly [number, string][]) {
  return list.map(([at, { length }]) => [at, length]);
}

describe('a word finder', () => {
  it.each([12, 15] as const)(proves('R10')('finds the same as a plain search, with %i bits'), (bits) => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), text, (words, given) => {
        const finder = new WordFinder(words, bits);
        const expected = Array.from({ length: given.length }, (_, at) => at).flatMap((at) =>
          words
            .filter((each) => standsAt(each, given, at))
            .map((each): [number, string] => [at, each.text])
            .toSorted(([, a], [, b]) => b.length - a.length),
        );
        const found: [number, string][] = [];
        finder.each(given, (each, at) => (found.push([at, each.text]), at));
        expect(inOrder(found)).toEqual(inOrder(expected));
        expect(finder.find(given)).toBe(expected[0]?.[0] ?? -1);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it(proves('R10')('continues where the callback says, and never goes back'), () => {
    const finder = new WordFinder([{ text: 'aaa', exact: true, tag: 0 }], 15);
    const at: number[] = [];
    finder.each('aaaaaaaaaa', (_, place) => (at.push(place), place + 3));
    expect(at).toEqual([0, 3, 6]);
    at.length = 0;
    finder.each('aaaaa', (_, place) => (at.push(place), 0));
    expect(at).toEqual([0, 1, 2]);
  });
});
