/** Checks that no policy allows a line of the hostile corpus that it should protect against. */

import { beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { read } from '../source.ts';
import { decideCases, type DecidedCase } from './decide.ts';
import { effectMeanings, effects } from './hostile-case.ts';
import { hostileCases, hostileShares } from './hostile.ts';
import { shownFigures } from './page.ts';
import { comparison, kept, readSummary } from './peers/summary.ts';
import { figures } from './report.ts';

const cases = hostileCases();
let decided: readonly DecidedCase[];

beforeAll(async () => {
  decided = await decideCases(cases);
}, 180_000);

describe('the hostile corpus', () => {
  it('has enough lines and classes, each case once', () => {
    expect(cases.length).toBeGreaterThanOrEqual(1200);
    expect(new Set(cases.map((item) => item.class)).size).toBeGreaterThanOrEqual(40);
    expect(new Set(cases.map((item) => item.id)).size).toBe(cases.length);
    expect(new Set(cases.map(({ line, files = {} }) => JSON.stringify([line, files]))).size).toBe(cases.length);
  });

  it('records what every case does, almost always from observation', () => {
    const known = new Set<string>(effects);
    expect(cases.filter(({ does }) => does.length === 0 || does.some((effect) => !known.has(effect)))).toEqual([]);
    expect(cases.filter((item) => !item.observed).length).toBeLessThan(cases.length / 20);
  });

  it(proves('X02', 'X04', 'X08')('is never allowed, except for cases marked as known'), () => {
    const wrong = decided.filter((one) => one.wrong.length > 0).map(({ item, wrong }) => [item.id, item.line, wrong]);
    const known = cases.filter((item) => item.known !== undefined).map((item) => [item.id, item.line, item.known]);
    expect(wrong).toEqual(known);
    // `--write` marks wrong answers, so none may be left to mark.
    expect(known).toEqual([]);
  });
});

describe('docs/reference/precision.md', () => {
  it('shows the figures of this run (npm run corpus -- hostile --write)', () => {
    expect(kept('hostile', hostileShares(decided))).toEqual(hostileShares(decided));
    expect(shownFigures('comparison')).toBe(comparison(readSummary()));
    expect(shownFigures('hostile')).toBe(figures(decided));
  });

  it('explains every effect', () => {
    const page = read('docs/reference/precision.md');
    for (const effect of effects) expect(page).toContain(`| \`${effect}\` | ${effectMeanings[effect]} |`);
  });
});
