/** Every rule in scope has a test that cites it, and every citation has its rule. */

import { describe, expect, it } from 'vitest';
import { filesUnder, read } from '../source.ts';
import { citationsIn } from './citations.ts';
import { proves } from './cite.ts';
import rules from './rules.json' with { type: 'json' };

describe('the contract', () => {
  const citations = filesUnder('.')
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/contract/'))
    .map((path) => citationsIn(path, read(path)));
  const cited = new Set(citations.flatMap(({ ids }) => ids));

  it('lists each rule once, with a text and a status', () => {
    expect(new Set(rules.map((rule) => rule.id)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(rule.id).toMatch(/^[A-Z]\d\d$/);
      expect(rule.text).not.toBe('');
      expect(['in scope', 'not yet']).toContain(rule.status);
    }
  });

  it('has a citing test for every rule in scope', () => {
    const unproven = rules.filter((rule) => rule.status === 'in scope' && !cited.has(rule.id));
    expect(unproven.map((rule) => `${rule.id} ${rule.text.slice(0, 80)}`)).toEqual([]);
  });

  it('has a rule in scope for every citation', () => {
    const known = new Set(rules.filter((rule) => rule.status === 'in scope').map((rule) => rule.id));
    expect([...cited].filter((id) => !known.has(id))).toEqual([]);
  });

  it('can read every citation from the source', () => {
    expect(citations.flatMap(({ unreadable }) => unreadable)).toEqual([]);
  });
});

describe('citing', () => {
  it('puts the ids before the title', () => {
    expect(proves('H03', 'H04')('runs hooks by priority')).toBe('[H03 H04] runs hooks by priority');
  });

  it('refuses an id that is unknown or not yet in scope', () => {
    expect(() => proves('Z99')).toThrow('No rule Z99');
    const later = rules.find((rule) => rule.status === 'not yet');
    if (later !== undefined) expect(() => proves(later.id)).toThrow('"not yet"');
  });

  it('is found across lines, in describe and in it, and not in comments, strings or skipped tests', () => {
    const text = `
      describe(proves('P17')('a'), () => {
        it(
          proves(
            'H03',
            // 'H05'
            "H04",
          )('b'),
          () => {},
        );
        // it(proves('H06')('c'));
        it('proves("H07")', () => {});
        it.skip(proves('H08')('d'), () => {});
        it.each([1])(proves('H09')('e %i'), () => {});
      });`;
    expect(citationsIn('sample.test.ts', text).ids).toEqual(['P17', 'H03', 'H04', 'H09']);
    expect(citationsIn('sample.test.ts', `it(proves(id)('f'), () => {});`).unreadable).toHaveLength(1);
  });
});
