import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { patternStaysInside } from './pattern-stays-inside.ts';

describe('patternStaysInside', () => {
  it.each([
    '*',
    '**',
    '**/*.ts',
    'src/**/*.{ts,tsx}',
    '.*',
    '**/.*',
    '.github/**',
    './src/*',
    '...',
    '..a/b',
    'a..b',
    'a..',
    '{a,b}/{c,d}',
    '{1..3}.txt',
    'x{1..3}',
    '*.@(js|ts)',
    '.@(eslintrc|prettierrc)',
    '!(*.test).ts',
    'a/?(b)/c',
    '[ab].ts',
    '[!a]*',
    '[',
    ']',
    '{a,}',
    'a~',
    '~$x',
    '(1).txt',
    'a,b',
    'a|b',
    'a\\*b',
    '+(ab)',
    '.{git,npm}ignore',
    '[.]git',
  ])(proves('W08')('accepts %j'), (pattern) => {
    expect(patternStaysInside(pattern)).toEqual({ type: 'inside' });
  });

  it.each([
    '',
    '/',
    '/etc/*',
    '//x',
    '..',
    '../x',
    'a/..',
    'a/../b',
    'a/../../b',
    '{..,a}/x',
    '{a,..}',
    '{a/..,b}',
    '{a,{b,..}}/x',
    '{.,}.',
    '.{.,x}',
    '{a/.,b}./x',
    '{,a}/x',
    '{/etc,a}/x',
    '{/,}etc',
    '\\.\\.',
    '\\../x',
    '.\\./x',
    '[.].',
    '[.][.]/x',
    '.[.]',
    '.[!a]',
    '.[--0]',
    '@(..)/x',
    '+(.)/x',
    '*(.)',
    '?(.).',
    '!(a|..)/x',
    '@(a|@(b|..))',
    '(a|..)/x',
    'a/(..)',
    '..\\x',
    'a\\..\\b',
    '\\x',
    '\\\\server\\x',
    'C:\\x',
    'c:x',
    '~',
    '~/x',
    '{~,a}/x',
    '..*',
    '..*/x',
    'a/..*/x',
    '..?(x)',
    'a\0',
    '[{],../..}',
    '{../x',
    'x'.repeat(5000),
    '*('.repeat(2000),
    '{('.repeat(100),
    7,
    null,
    undefined,
  ])(proves('W08')('refuses %j'), (pattern) => {
    expect(patternStaysInside(pattern)).toMatchObject({
      type: 'refused',
      reason: expect.stringMatching(/\w/) as string,
    });
  });

  it(proves('W08')('agrees with a check of all expanded alternatives'), () => {
    const word = fc.constantFrom('.', '..', '/', 'a', '', './', '/..', '~');
    const { pattern } = fc.letrec<{ pattern: Written; item: Written; group: Written }>((tie) => ({
      pattern: fc.array(tie('item'), { maxLength: 3 }).map(joinWritten),
      item: fc.oneof(
        { maxDepth: 3 },
        word.map((text) => ({ text, all: [text] })),
        tie('group'),
      ),
      group: fc.array(tie('pattern'), { minLength: 2, maxLength: 2 }).map(groupWritten),
    }));
    fc.assert(
      fc.property(pattern, ({ text, all }) => {
        fc.pre(text !== '' && all.length < limit);
        const leaves = all.some(
          (path) => path.startsWith('/') || path === '~' || path.startsWith('~/') || path.split('/').includes('..'),
        );
        expect(patternStaysInside(text).type).toBe(leaves ? 'refused' : 'inside');
      }),
      { numRuns: runs(5000) },
    );
  });
});

const limit = 200;

interface Written {
  readonly text: string;
  /** Every text the pattern can match. */
  readonly all: readonly string[];
}

function joinWritten(items: readonly Written[]): Written {
  return items.reduce<Written>(
    (start, item) => ({
      text: start.text + item.text,
      all: start.all.flatMap((text) => item.all.map((end) => text + end)).slice(0, limit),
    }),
    { text: '', all: [''] },
  );
}

function groupWritten(items: readonly Written[]): Written {
  return { text: `{${items.map((item) => item.text).join(',')}}`, all: items.flatMap((item) => item.all) };
}
