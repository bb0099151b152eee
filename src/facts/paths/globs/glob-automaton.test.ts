import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { matchGlobParts, readGlob } from './glob.ts';
import { GlobAutomaton, type GlobMatch, type GlobPart, type RootedGlobParts } from './glob-automaton.ts';

const partsOf = (pattern: string): readonly GlobPart[] => readGlob(pattern)[0]?.parts ?? [];
const meant = (parts: readonly GlobPart[], base: readonly string[] = []): RootedGlobParts => ({
  base,
  parts,
  isCertain: true,
});

/** The results of the patterns one by one. */
function apart(patterns: readonly (readonly GlobPart[])[], names: readonly string[]): GlobMatch {
  const all = patterns.map((parts) => matchGlobParts(parts, names));
  return {
    fits: all.some(({ fits }) => fits),
    mayFitBelow: all.some(({ mayFitBelow }) => mayFitBelow),
    isSpecific: all.some(({ isSpecific }) => isSpecific),
  };
}

const told = ({ fits, mayFitBelow, isSpecific }: GlobMatch): GlobMatch => ({ fits, mayFitBelow, isSpecific });

const part = fc.constantFrom('**', '*', 'a', 'b', 'ab', 'a*', '*b', '*a*', '?', '[!a]');
const pattern = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => partsOf(`/${parts.join('/')}`));
const names = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', 'c'), { maxLength: 6 });

describe('many patterns together', () => {
  it(proves('X08')('give the same results as one by one, however often they are used'), () => {
    let matched = 0;
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 6 }),
        fc.array(names, { minLength: 1, maxLength: 5 }),
        (patterns, paths) => {
          const states = new GlobAutomaton(
            patterns.map((parts) => meant(parts)),
            false,
          );
          for (const path of paths) {
            const found = told(states.stateAfter(path));
            expect(found).toEqual(apart(patterns, path));
            matched += Number(found.fits);
          }
        },
      ),
      { numRuns: runs(1000) },
    );
    expect(matched).toBeGreaterThan(100);
  });

  it('give the same results when the cache is full', () => {
    const patterns = ['a', 'b', 'c', 'd', 'e'].map((letter) => partsOf(`/${`**/*${letter}*/`.repeat(12)}z`));
    const states = new GlobAutomaton(
      patterns.map((parts) => meant(parts)),
      false,
    );
    const name = fc.constantFrom('ab', 'c', 'de', 'abc', 'x', 'e', 'z');
    const paths = fc.sample(fc.array(name, { minLength: 24, maxLength: 24 }), { numRuns: 600, seed: 1 });
    for (const path of paths) states.stateAfter(path);
    expect(states.isFull).toBe(true);
    for (const path of paths.slice(0, 40)) expect(told(states.stateAfter(path))).toEqual(apart(patterns, path));
  });

  it('distinguish certain and possible matches', () => {
    const states = new GlobAutomaton([meant(partsOf('/a')), { ...meant(partsOf('/b')), isCertain: false }], false);
    expect(states.stateAfter(['a'])).toMatchObject({ fits: true, isCertain: true });
    expect(states.stateAfter(['b'])).toMatchObject({ fits: true, isCertain: false });
  });

  it('start from a folder, and are specific to it only on the way there and after a name', () => {
    const states = new GlobAutomaton([meant(partsOf('**/x/y'), ['home', 'ws'])], false);
    const found = (...path: string[]): GlobMatch => told(states.stateAfter(path));
    expect(found('home')).toEqual({ fits: false, mayFitBelow: true, isSpecific: true });
    expect(found('other')).toEqual({ fits: false, mayFitBelow: false, isSpecific: false });
    expect(found('home', 'ws')).toEqual({ fits: false, mayFitBelow: true, isSpecific: false });
    expect(found('home', 'ws', 'a')).toEqual({ fits: false, mayFitBelow: true, isSpecific: false });
    expect(found('home', 'ws', 'a', 'x')).toEqual({ fits: false, mayFitBelow: true, isSpecific: true });
    expect(found('home', 'ws', 'x', 'y').fits).toBe(true);
  });
});
