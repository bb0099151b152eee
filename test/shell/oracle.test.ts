import { posix } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { analyseCommand, type CommandAnalysis, type ShellWord } from '../../src/facts/index.ts';
import { couldBe } from '../../src/facts/shell/words/shell-word.ts';
import { proves } from '../contract/cite.ts';
import { sample, seed } from '../property-runs.ts';
import { runsQuestion } from './answers.ts';
import { bash, BashOracle, type Outcome } from './bash-oracle.ts';
import { numbers } from './random/choices.ts';
import { oddLines } from './odd-lines.ts';
import { growTree } from './random/command-tree.ts';
import type { World } from './random/grower.ts';

/** Only programs that the oracle has. */
const world: World = {
  programs: [
    ['rm'],
    ['ls'],
    ['cat'],
    ['echo'],
    ['git', 'status'],
    ['foo'],
    ['rm', '-rf'],
    ['printf', '%s'],
    ['cd', 'sub'],
  ],
  paths: ['../bin/'],
  real: true,
};

const batchSize = 100;
/** A batch takes seconds; a line that hangs is reported. */
const hangMs = 300_000;

/** Different lines that start something. */
function randomLines(wanted: number): readonly string[] {
  const lines = new Set<string>();
  for (const [choices, spelling] of fc.sample(fc.tuple(numbers(50), numbers(40)), { numRuns: wanted * 3, seed })) {
    const { line, started } = growTree(world, { choices, spelling });
    if (started.size > 1 && lines.size < wanted) lines.add(line);
  }
  return Array.from(lines);
}

const questions = new Map<string, (line: string) => string>();

function runsAnswer(line: string, name: string): string {
  const question = questions.get(name) ?? runsQuestion(name);
  questions.set(name, question);
  return question(line);
}

/** What happened without being predicted. */
function surprises({ line, ran, made }: Outcome): readonly string[] {
  const analysis = analyseCommand(line);
  const programs = ran.filter(([name]) => runsAnswer(line, name) === 'no').map(([name]) => `runs("${name}") is no`);
  const commands = analysis.unknown === undefined ? ran.filter((command) => !isForeseen(analysis, command)) : [];
  const files = made.filter((path) => !isWritten(analysis, path));
  return [
    ...programs,
    ...commands.map((command) => `ran ${JSON.stringify(command)}`),
    ...files.map((path) => `made ${path}`),
  ].map((what) => `${what}: ${line}`);
}

function isForeseen({ commands }: CommandAnalysis, [name, ...args]: readonly [string, ...string[]]): boolean {
  return commands.some(({ argv: [first, ...words], more }) => {
    if (first === undefined || !endsWith(first, name)) return false;
    return matches(words, args, more);
  });
}

function endsWith(word: ShellWord, name: string): boolean {
  return word.type === 'literal' ? posix.basename(word.value) === name : (word.knownPieces.at(-1) ?? '').endsWith(name);
}

/** Whether the words can become these arguments. */
function matches(words: readonly ShellWord[], args: readonly string[], more: boolean): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return args.length === 0 || more;
  if (word.type === 'literal' || !word.splits) {
    const [arg, ...others] = args;
    return arg !== undefined && couldBe(word, arg) && matches(rest, others, more);
  }
  if (matches(rest, args, more)) return true;
  const [arg, ...others] = args;
  return arg !== undefined && couldBe(word, arg) && matches(words, others, more);
}

function isWritten({ files, filesUnknown }: CommandAnalysis, made: string): boolean {
  if (filesUnknown !== undefined) return true;
  return files.some(({ mode, path, from }) => {
    if (mode === 'read') return false;
    if (path === undefined || from === undefined) return true;
    return from.some((folder) => posix.join(folder, path) === made);
  });
}

describe.skipIf(bash === undefined)('what bash runs', () => {
  const oracle = new BashOracle();
  afterAll(() => oracle.remove());

  it(
    proves('X02', 'X05', 'X08')('was predicted, with its arguments and the files it creates'),
    { timeout: 2 * hangMs },
    async () => {
      const lines = randomLines(sample(200));
      const found: string[] = [];
      let programs = 0;
      let certain = 0;
      for (let start = 0; start < lines.length; start += 2 * batchSize) {
        const middle = start + batchSize;
        const both = [lines.slice(start, middle), lines.slice(middle, middle + batchSize)];
        const outcomes = await Promise.all(both.map((batch) => oracle.run(batch, hangMs)));
        for (const outcome of outcomes.flat()) {
          found.push(...surprises(outcome));
          programs += outcome.ran.length;
          if (analyseCommand(outcome.line).unknown === undefined) certain += 1;
        }
      }
      found.sort((one, other) => one.length - other.length);
      expect(found.slice(0, 5), `seed ${seed}`).toEqual([]);
      // Most lines run something, and for most it is known what.
      expect(programs).toBeGreaterThan(lines.length);
      expect(certain).toBeGreaterThan(lines.length / 2);
    },
  );

  it(
    proves('X02', 'X04', 'X08')('was predicted in lines that are easily misread'),
    { timeout: 2 * hangMs },
    async () => {
      const outcomes = await oracle.run(oddLines, hangMs);
      expect(outcomes.flatMap(surprises)).toEqual([]);
      expect(outcomes.filter(({ ran, made }) => ran.length + made.length > 0).length).toBeGreaterThan(
        oddLines.length * 0.8,
      );
    },
  );
});
