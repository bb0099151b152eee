/** Checks that everyday work is not denied, and does not need approval, more often than the bounds allow. */

import { beforeAll, describe, expect, it } from 'vitest';
import { presetNames } from '../../src/policy-files/init/presets.ts';
import { benchCases } from './everyday/bench-lines.ts';
import { type DecidedEveryday, decideEveryday } from './everyday/decide-everyday.ts';
import { everydayCases, everydayClasses, projectNames } from './everyday/everyday-case.ts';
import { bounds, everydayShares, isKept, wrongDenials } from './everyday/everyday-figures.ts';
import { everydayFigures, sessionFigures } from './everyday/everyday-report.ts';
import { recordedSessions } from './everyday/session.ts';
import { proves } from '../contract/cite.ts';
import { shownFigures } from './page.ts';
import { comparison, kept, readSummary } from './peers/summary.ts';

const cases = everydayCases();
const sessions = recordedSessions();
let decided: DecidedEveryday;

beforeAll(async () => {
  decided = await decideEveryday([...cases, ...benchCases()], sessions);
}, 180_000);

describe('the everyday corpus', () => {
  it('has enough lines of every class, each case once', () => {
    expect(cases.filter(({ held }) => held === undefined).length).toBeGreaterThanOrEqual(450);
    expect(cases.filter(({ held }) => held).length).toBeGreaterThanOrEqual(150);
    expect(new Set(cases.map((item) => item.class))).toEqual(new Set(everydayClasses));
    expect(new Set(cases.map(({ folder }) => folder))).toEqual(new Set(projectNames));
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(new Set(cases.map(({ folder, line }) => JSON.stringify([folder, line]))).size).toBe(cases.length);
  });

  it('marks few lines as rightly denied', () => {
    expect(cases.filter(({ denies }) => denies !== undefined).length).toBeLessThanOrEqual(cases.length / 100);
  });

  it.each(bounds)(proves('X12')('keeps a bound: $name $limit $goal'), (bound) => {
    expect(bound, String(bound.measure(decided))).toSatisfy((each: typeof bound) =>
      isKept(each, each.measure(decided)),
    );
  });

  it(proves('X12')('is denied only with certainty'), () => {
    for (const preset of presetNames) expect(wrongDenials(decided.lines, preset)).toEqual([]);
  });
});

describe('code inside the line', () => {
  it.each(presetNames)(proves('X12')('is not allowed without a question: %s'), (preset) => {
    const lines = decided.lines.filter(({ item }) => item.class === 'code-in-line');
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.filter(({ answers }) => answers[preset].effect === 'allow')).toEqual([]);
  });
});

describe('the recorded sessions', () => {
  it('are ten sessions of 20 to 60 valid calls', () => {
    expect(sessions.length).toBeGreaterThanOrEqual(10);
    for (const { name, calls } of sessions) {
      expect(calls.length, name).toBeGreaterThanOrEqual(20);
      expect(calls.length, name).toBeLessThanOrEqual(60);
    }
    const problems = decided.sessions.flatMap(({ calls }) => calls.filter(({ answers }) => answers.balanced.problem));
    expect(problems).toEqual([]);
  });
});

describe('docs/reference/precision.md', () => {
  it('shows the figures of this run (npm run corpus -- everyday --write)', () => {
    expect(kept('everyday', everydayShares(decided.lines))).toEqual(everydayShares(decided.lines));
    expect(shownFigures('comparison')).toBe(comparison(readSummary()));
    expect(shownFigures('everyday')).toBe(everydayFigures(decided, presetNames));
    expect(shownFigures('sessions')).toBe(sessionFigures(decided, presetNames));
  });

  it('compares with peers that decided the same lines (npm run corpus -- everyday --peers --write)', () => {
    const { everyday, hostile } = readSummary();
    for (const shares of [...Object.values(everyday), ...Object.values(hostile)])
      expect(new Set(Object.values(shares).map(({ lines }) => lines)).size).toBe(1);
  });
});
