import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../contract/cite.ts';
import { runs } from '../../property-runs.ts';
import { numbers } from '../random/choices.ts';
import { foresee } from './compare.ts';
import { growLine } from './grow-line.ts';
import { area, makeTree, removeTree } from './tree.ts';

const operators = [' && ', ' || ', '; ', '\n', ' | ', ' & '];
/** Changes nothing that another command could depend on. */
const inert = ['cat a.ts', 'true', 'ls src', 'head README.md'];
const patterns = ['**/.env', 'src/**', '../outside/**', 'sub/a.ts'];

describe('a line of two parts', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-parts-')));
  makeTree(top);
  const start = { cwd: join(top, area, 'work'), home: join(top, area, 'home') };
  afterAll(() => removeTree(top));

  /** The facts that would let a rule allow the line. */
  function allowing(line: string): readonly string[] {
    const { answer, inside } = foresee(line, start);
    const denied = (['read', 'written'] as const).flatMap((mode) => [
      ...patterns.filter((pattern) => answer(mode, pattern) === 'no').map((pattern) => `${mode} ${pattern} is no`),
      ...(inside[mode] === 'yes' ? [`${mode} inside is yes`] : []),
    ]);
    return denied;
  }

  it(proves('X06')('is never better known than each part'), { timeout: 300_000 }, () => {
    const part = numbers(30).map((choices) => growLine(choices).line);
    const both = fc.tuple(part, fc.constantFrom(...inert), fc.constantFrom(...operators), fc.boolean());
    fc.assert(
      fc.property(both, ([line, other, operator, isFirst]) => {
        const whole = isFirst ? `${line}${operator}${other}` : `${other}${operator}${line}`;
        const alone = allowing(line);
        expect(
          allowing(whole).filter((fact) => !alone.includes(fact)),
          `${line} of ${whole}`,
        ).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });
});
