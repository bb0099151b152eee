import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../contract/cite.ts';
import { sample, seed, someOf } from '../../property-runs.ts';
import { bash } from '../bash-oracle.ts';
import { compareLines, compareTexts, randomLines } from './compare-lines.ts';
import { deniedAccesses, foresee, type Foreseen } from './compare.ts';
import { canRun, LineRunner, type Start } from './run-lines.ts';
import { trickyLines } from './tricky-lines.ts';

/** The real effects of these lines, to verify the observer. */
const observed: readonly (readonly [line: string, reads: string, writes: string])[] = [
  ['cd sub && cat a.ts', 'sub/a.ts', ''],
  ['cd lib && cat ../.env', '.env', ''],
  ['cat src/l*', '.env', ''],
  ['f=a.ts; cat $f > new', 'a.ts', 'new'],
  ['cd out; echo x > a.ts', '', '../outside/a.ts'],
  ['find docs -type l | xargs cat', 'odd/a .env b.ts', ''],
  ["find mixed -name '*.ts' | xargs cat", '.env mixed/ok.ts', ''],
  ['mv sub made && cat made/a.ts', 'sub/a.ts', 'made made/.env sub sub/.env'],
  ['rm src/link.ts', '', 'src/link.ts'],
  ['cp -r src/deep new', 'src/deep/a.ts src/deep/x.ts src/deep/.env', 'new new/a.ts'],
];

/** A naive analysis: all that it does not know does not happen. */
function unknownIsNo(line: string, start: Start): Foreseen {
  const foreseen = foresee(line, start);
  const { answer } = foreseen;
  return {
    ...foreseen,
    answer: (mode, pattern) => (answer(mode, pattern) === '?' ? 'no' : answer(mode, pattern)),
  };
}

describe.skipIf(bash === undefined)('what bash reads and writes', () => {
  const runner = new LineRunner();
  afterAll(() => runner.remove());

  it('is observed correctly', async () => {
    const outcomes = await runner.run(observed.map(([line]) => line));
    for (const [index, [line, reads, writes]] of observed.entries()) {
      const { read, written } = outcomes[index] ?? { read: [], written: [] };
      expect([line, ...read], line).toEqual(expect.arrayContaining(wordsOf(reads)));
      expect([line, ...written], line).toEqual(expect.arrayContaining(wordsOf(writes)));
    }
  });

  it('exposes a fact that denies too much', async () => {
    const lines = [
      "find mixed -name '*.ts' | xargs cat",
      'for f in $(ls src); do touch src/$f; done',
      'cat "$(echo .env)"',
    ];
    for (const [index, accesses] of (await runner.run(lines)).entries()) {
      const line = lines[index] ?? '';
      expect(deniedAccesses(unknownIsNo(line, runner.start), accesses), line).not.toEqual([]);
    }
  });

  it(proves('X08')('never contradicts the facts in tricky lines'), { timeout: 1_200_000 }, async () => {
    const { denied, figures } = await compareTexts(runner, someOf(trickyLines.filter(canRun), 80));
    console.log('written lines that were followed:', figures);
    expect(denied).toEqual([]);
  });

  it(proves('X08')('never contradicts the facts in random lines'), { timeout: 1_200_000 }, async () => {
    const { denied, unseen, figures } = await compareLines(runner, randomLines(sample(100)));
    console.log('random lines that were followed:', figures);
    expect(denied, `seed ${seed}`).toEqual([]);
    expect(unseen, `seed ${seed}`).toEqual([]);
  });
});

/** Names in these lines hold blanks only where they are `a .env b.ts`. */
function wordsOf(text: string): string[] {
  return text === '' ? [] : text === 'odd/a .env b.ts' ? [text] : text.split(' ');
}
