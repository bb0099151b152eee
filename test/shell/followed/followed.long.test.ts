/** The same with strace, which also sees files that are opened and not printed. */

import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../contract/cite.ts';
import { sample, seed } from '../../property-runs.ts';
import { cannotObserve } from '../../corpus/observe.ts';
import { compareLines, compareTexts, randomLines } from './compare-lines.ts';
import { LineRunner } from './run-lines.ts';
import { trickyLines } from './tricky-lines.ts';

const why = cannotObserve();

describe.skipIf(why !== undefined)(`what bash opens${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  const runner = new LineRunner({ traced: true });
  afterAll(() => runner.remove());

  it(proves('X08')('never contradicts the facts in tricky lines'), { timeout: 3_600_000 }, async () => {
    const { denied, figures } = await compareTexts(runner, trickyLines);
    console.log('written lines that were followed and traced:', figures);
    expect(denied).toEqual([]);
  });

  it(proves('X08')('never contradicts the facts in random lines'), { timeout: 3_600_000 }, async () => {
    const { denied, unseen, figures } = await compareLines(runner, randomLines(sample(200)));
    console.log('lines that were followed and traced:', figures);
    expect(denied, `seed ${seed}`).toEqual([]);
    expect(unseen, `seed ${seed}`).toEqual([]);
  });
});
