import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { sample, seed } from '../property-runs.ts';
import { runsOnlyQuestion, runsQuestion } from './answers.ts';
import { bash, BashOracle, type Outcome } from './bash-oracle.ts';
import { Choices, numbers } from './random/choices.ts';
import { growPlanted, plantedLines } from './random/grow-planted.ts';

const batchSize = 200;

const runsRm = runsQuestion('rm');
const runsOnlyOthers = runsOnlyQuestion(['ls', 'echo', ':', 'true', 'read', 'printf', 'test', 'declare', 'export']);

function ranCode({ ran }: Outcome): boolean {
  return ran.some(([name]) => name === 'rm');
}

function surprise({ line }: Outcome): readonly string[] {
  const answers = [runsRm(line) === 'no' && 'runs("rm") is no', runsOnlyOthers(line) === 'yes' && 'runsOnly is yes'];
  return answers.filter((answer) => answer !== false).map((answer) => `${answer}: ${line}`);
}

describe.skipIf(bash === undefined)('code in the value of a variable', () => {
  const oracle = new BashOracle();
  afterAll(() => oracle.remove());

  async function surprises(lines: readonly string[]): Promise<{ found: readonly string[]; ran: number }> {
    const found: string[] = [];
    let ran = 0;
    for (let start = 0; start < lines.length; start += batchSize) {
      const outcomes = (await oracle.run(lines.slice(start, start + batchSize), 120_000)).filter(ranCode);
      ran += outcomes.length;
      found.push(...outcomes.flatMap(surprise));
    }
    return { found: found.toSorted((one, other) => one.length - other.length), ran };
  }

  it(proves('X13')('is predicted wherever bash runs it'), { timeout: 300_000 }, async () => {
    const lines = Array.from(new Set(plantedLines));
    const { found, ran } = await surprises(lines);
    expect(found.slice(0, 10)).toEqual([]);
    expect(ran).toBeGreaterThan(lines.length / 5);
  });

  it(proves('X13')('is predicted in random lines'), { timeout: 1_200_000 }, async () => {
    const samples = fc.sample(numbers(8), { numRuns: sample(200), seed });
    const lines = Array.from(new Set(samples.map((choices) => growPlanted(new Choices(choices)))));
    const { found, ran } = await surprises(lines);
    expect(found.slice(0, 10), `seed ${seed}`).toEqual([]);
    expect(ran).toBeGreaterThan(lines.length / 8);
  });
});
