/** Counts of hot paths are compared with a committed base, and every accepted loss is bounded and shown. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Counts = Readonly<Record<string, Readonly<Record<string, number | undefined>>>>;

interface Judged {
  readonly path: string;
  readonly unit: string;
  readonly state: string;
}

interface Loss {
  readonly path: string;
  readonly unit: string;
  readonly limit: number;
  readonly reason: string;
}

const bench = join(import.meta.dirname, '../bench');
const { judge, faultsOf, movedBase, problemsOf, units } = (await import(join(bench, 'compare/judge.mjs'))) as {
  judge: (counted: Counts, base: Counts, accepted: readonly Loss[]) => readonly Judged[];
  faultsOf: (judged: readonly Judged[]) => readonly string[];
  movedBase: (base: Counts, judged: readonly Judged[]) => Counts;
  problemsOf: (accepted: unknown, paths: readonly string[]) => readonly string[];
  units: readonly string[];
};
const { readAccepted, acceptedSection } = (await import(join(bench, 'compare/accepted.mjs'))) as {
  readAccepted: () => readonly Loss[];
  acceptedSection: (accepted: readonly Loss[]) => string;
};
const { whatIsCounted } = (await import(join(bench, 'compare/count.mjs'))) as {
  whatIsCounted: Readonly<Record<string, string>>;
};

const base = { guard: { instructions: 1000, bytes: 100 } };
const loss: Loss = { path: 'guard', unit: 'instructions', limit: 1.5, reason: 'Records are signed.' };

describe('a comparison', () => {
  it.each([
    { count: 1251, accepted: [], state: 'worse' },
    { count: 1250, accepted: [], state: 'level' },
    { count: 980, accepted: [], state: 'level' },
    { count: 960, accepted: [], state: 'better' },
    { count: 800, accepted: [], state: 'better' },
    { count: 799, accepted: [], state: 'outdated' },
    { count: 1500, accepted: [loss], state: 'accepted' },
    { count: 1501, accepted: [loss], state: 'worse' },
    { count: 1500, accepted: [{ ...loss, unit: 'bytes' }], state: 'worse' },
    { count: 1500, accepted: [{ ...loss, path: 'turn' }], state: 'worse' },
  ])('finds $count of 1000 $state', ({ count, accepted, state }) => {
    const judged = judge({ guard: { instructions: count, bytes: 100 } }, base, accepted);
    expect(judged.map((each) => each.state)).toEqual([state, 'level']);
    expect(faultsOf(judged)).toHaveLength(state === 'worse' || state === 'outdated' ? 1 : 0);
  });

  it('fails for a path without a base', () => {
    expect(faultsOf(judge({ turn: { bytes: 1 } }, base, []))).toEqual([
      expect.stringContaining('turn: bytes have no base'),
    ]);
  });

  it('judges only what was counted', () => {
    expect(judge({ guard: { instructions: undefined, bytes: 90 } }, base, [])).toMatchObject([{ unit: 'bytes' }]);
  });

  it('moves the base of new and better counts only', () => {
    const counted = { guard: { instructions: 2000, bytes: 50 }, turn: { bytes: 7 } };
    expect(movedBase(base, judge(counted, base, []))).toEqual({
      guard: { instructions: 1000, bytes: 50 },
      turn: { bytes: 7 },
    });
    const level = { guard: { instructions: 990, bytes: 110 } };
    expect(movedBase(base, judge(level, base, []))).toEqual(base);
  });

  it('takes no accepted loss without a path, a bound and a reason', () => {
    expect(problemsOf([loss], ['guard'])).toEqual([]);
    for (const wrong of [
      { path: 'x' },
      { unit: 'ms' },
      { limit: 1.25 },
      { limit: undefined },
      { reason: ' ' },
      { why: 1 },
    ]) {
      expect(problemsOf([{ ...loss, ...wrong }], ['guard'])).toHaveLength(1);
    }
    expect(problemsOf({}, ['guard'])).toHaveLength(1);
  });
});

describe('the files of bench/', () => {
  it('accept losses of known paths only, and RESULTS.md shows them', () => {
    const accepted = readAccepted();
    expect(problemsOf(accepted, Object.keys(whatIsCounted))).toEqual([]);
    expect(readFileSync(join(bench, 'RESULTS.md'), 'utf8')).toContain(`\n${acceptedSection(accepted)}\n`);
    expect(acceptedSection([loss])).toContain('| guard | instructions | 1.5× | Records are signed. |');
  });

  it.each(readdirSync(join(bench, 'base')))('have a base for every path: %s', (name) => {
    const { paths } = JSON.parse(readFileSync(join(bench, 'base', name), 'utf8')) as { paths: Counts };
    expect(Object.keys(paths)).toEqual(Object.keys(whatIsCounted));
    for (const counts of Object.values(paths)) {
      expect(Object.keys(counts)).toEqual(units);
      for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
    }
  });
});
