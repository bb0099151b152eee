/** Runs random lines and collects what the facts got wrong, each as the shortest line that shows it. */

import fc from 'fast-check';
import { seed } from '../../property-runs.ts';
import { numbers } from '../random/choices.ts';
import { addFigures, deniedAccesses, figuresOf, foresee, noFigures, unseenAccesses, type Figures } from './compare.ts';
import { growLine } from './grow-line.ts';
import { canRun, type LineRunner } from './run-lines.ts';

const batchSize = 100;
const shrinkRounds = 12;
const maxShown = 20;

/** The choices that lines grow from. */
export function randomLines(wanted: number): readonly (readonly number[])[] {
  const lines = new Map<string, readonly number[]>();
  const some = fc.sample(fc.tuple(numbers(40), numbers(16)), { numRuns: wanted * 2, seed });
  for (const choices of some.map((both) => both.flat())) {
    const { line } = growLine(choices);
    if (canRun(line) && lines.size < wanted) lines.set(line, choices);
  }
  return [...lines.values()];
}

interface Wrong {
  readonly choices: readonly number[];
  readonly line: string;
  readonly denied: readonly string[];
  readonly unseen: readonly string[];
}

interface Comparison {
  readonly denied: readonly string[];
  readonly unseen: readonly string[];
  readonly figures: Figures;
}

export async function compareLines(runner: LineRunner, all: readonly (readonly number[])[]): Promise<Comparison> {
  const wrong: Wrong[] = [];
  let figures = noFigures;
  for (let start = 0; start < all.length; start += batchSize) {
    const batch = await compareBatch(runner, all.slice(start, start + batchSize));
    wrong.push(...batch.wrong);
    figures = addFigures(figures, batch.figures);
  }
  return {
    denied: await shortest(runner, wrong, 'denied'),
    unseen: await shortest(runner, wrong, 'unseen'),
    figures,
  };
}

async function compareBatch(
  runner: LineRunner,
  batch: readonly (readonly number[])[],
): Promise<{ readonly wrong: readonly Wrong[]; readonly figures: Figures }> {
  const grown = batch.map((choices) => ({ choices, ...growLine(choices) }));
  const outcomes = await runner.run(grown.map(({ line }) => line));
  const wrong: Wrong[] = [];
  let figures = noFigures;
  for (const [index, accesses] of outcomes.entries()) {
    const { line, choices, straight } = grown[index] as (typeof grown)[number];
    const foreseen = foresee(line, runner.start);
    figures = addFigures(figures, figuresOf(foreseen, accesses));
    const denied = deniedAccesses(foreseen, accesses);
    const unseen = straight && accesses.status === 0 ? unseenAccesses(line, foreseen, accesses) : [];
    if (denied.length + unseen.length > 0) wrong.push({ choices, line, denied, unseen });
  }
  return { wrong, figures };
}

/** The same for lines that somebody wrote: what was done though the facts denied it. */
export async function compareTexts(runner: LineRunner, lines: readonly string[]): Promise<Comparison> {
  const denied: string[] = [];
  let figures = noFigures;
  for (let start = 0; start < lines.length; start += batchSize) {
    const batch = lines.slice(start, start + batchSize);
    for (const [index, accesses] of (await runner.run(batch)).entries()) {
      const line = batch[index] ?? '';
      const foreseen = foresee(line, runner.start);
      figures = addFigures(figures, figuresOf(foreseen, accesses));
      const found = deniedAccesses(foreseen, accesses);
      if (found.length > 0) denied.push(`${line}\n  ${found.slice(0, 3).join('\n  ')}`);
    }
  }
  return { denied, unseen: [], figures };
}

/** Each with the line that grows from the fewest choices; different lines often become the same. */
async function shortest(
  runner: LineRunner,
  all: readonly Wrong[],
  kind: 'denied' | 'unseen',
): Promise<readonly string[]> {
  const found = new Set<string>();
  const concerned = all.filter((wrong) => wrong[kind].length > 0).toSorted((a, b) => a.line.length - b.line.length);
  for (const wrong of concerned.slice(0, maxShown)) {
    const least = await shrink(runner, wrong, kind);
    found.add(`${least.line}\n  ${least[kind].slice(0, 3).join('\n  ')}`);
  }
  return [...found];
}

async function shrink(runner: LineRunner, wrong: Wrong, kind: 'denied' | 'unseen'): Promise<Wrong> {
  let least = wrong;
  for (let round = 0; round < shrinkRounds; round++) {
    const smaller = new Map<string, readonly number[]>();
    for (const choices of candidates(least.choices)) {
      const { line } = growLine(choices);
      if (line.length < least.line.length && canRun(line)) smaller.set(line, choices);
    }
    const { wrong: still } = await compareBatch(runner, [...smaller.values()]);
    const [next] = still.filter((each) => each[kind].length > 0).toSorted((a, b) => a.line.length - b.line.length);
    if (next === undefined) return least;
    least = next;
  }
  return least;
}

/** Without some of the numbers, or with a zero instead of one. */
function candidates(choices: readonly number[]): readonly (readonly number[])[] {
  return choices.flatMap((number, index) => [
    choices.slice(0, index),
    choices.toSpliced(index, 1),
    choices.toSpliced(index, 2),
    choices.toSpliced(index, 4),
    ...(number === 0 ? [] : [choices.with(index, 0)]),
  ]);
}
