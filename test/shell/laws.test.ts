import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { sample } from '../property-runs.ts';
import { runsOnlyQuestion, runsQuestion } from './answers.ts';
import { numbers } from './random/choices.ts';
import { growTree } from './random/command-tree.ts';
import type { World } from './random/grower.ts';

const world: World = {
  programs: [
    ['rm'],
    ['ls'],
    ['cat'],
    ['echo'],
    ['git', 'push', '--force'],
    ['git', 'status'],
    ['foo'],
    ['rm', '-rf'],
    ['printf', '%s'],
    ['curl'],
  ],
  paths: ['/bin/', './', '../x/', '/usr/local/bin/'],
  real: false,
};
const allowed = ['ls', 'cat', 'echo', 'true', 'git status', 'sh', 'bash', 'eval', 'env', 'nice', 'find', 'xargs', 'f1'];

const runsRm = runsQuestion('rm');
const questions = {
  rm: runsRm,
  'rm -rf': runsQuestion('rm -rf'),
  'git push --force': runsQuestion('git push --force'),
};
const tree = fc.tuple(numbers(50), numbers(40));
const timeout = 120_000;

describe('runs', () => {
  it(proves('X02', 'X04')('is never false for a program where bash starts it'), { timeout }, () => {
    const seen = { yes: 0, no: 0, unknown: 0 };
    fc.assert(
      fc.property(tree, ([choices, spelling]) => {
        const { line, started } = growTree(world, { choices, spelling });
        const answer = runsRm(line);
        seen[answer] += 1;
        const wrong = answer === (started.has('rm') ? 'no' : 'yes');
        expect(wrong ? `${answer}: ${line}` : '').toBe('');
      }),
      { numRuns: sample(1000) },
    );
    // Each answer is common enough to be meaningful.
    expect(Math.min(seen.yes, seen.no, seen.unknown)).toBeGreaterThan(sample(1000) / 50);
  });

  it(proves('X02', 'X06')('stays true or unknown inside any larger line'), { timeout }, () => {
    fc.assert(
      fc.property(tree, numbers(50), ([choices, spelling], around) => {
        const inner = growTree(world, { choices, spelling });
        const outer = growTree(world, { choices: around, spelling, planted: inner.piece, from: 500 });
        for (const [name, question] of Object.entries(questions)) {
          const lost = question(inner.line) !== 'no' && question(outer.line) === 'no';
          expect(lost ? `${name} of ${inner.line} is lost in ${outer.line}` : '').toBe('');
        }
      }),
      { numRuns: sample(1000) },
    );
  });

  it(proves('X02', 'X07')('does not depend on the spelling of words'), { timeout }, () => {
    fc.assert(
      fc.property(tree, ([choices, spelling]) => {
        const plain = growTree(world, { choices });
        const other = growTree(world, { choices, spelling });
        for (const [name, question] of Object.entries(questions)) {
          const [want, answer] = [question(plain.line), question(other.line)];
          // Text that looks like a here-document in a substitution needs care.
          const careful = plain.traits.has('spelled') || `${plain.line}${other.line}`.includes('<<');
          const unsure = careful && (answer === 'unknown' || want === 'unknown');
          const told = `${name} is ${want} of ${plain.line}, ${answer} of ${other.line}`;
          expect(want === answer || unsure ? '' : told).toBe('');
        }
      }),
      { numRuns: sample(1000) },
    );
  });
});

describe('runsOnly', () => {
  const onlyAllowed = runsOnlyQuestion(allowed);

  it(proves('X03')('is never true for a line that writes, sets, or names a program by its path'), { timeout }, () => {
    fc.assert(
      fc.property(tree, ([choices, spelling]) => {
        const { line, traits, started } = growTree(world, { choices, spelling });
        const faults = (['writes', 'assigns', 'path'] as const).filter((trait) => traits.has(trait));
        const others = ['rm', 'curl', 'foo', 'sudo'].filter((name) => started.has(name));
        if (faults.length + others.length === 0 || onlyAllowed(line) !== 'yes') return;
        expect(`${[...faults, ...others].join(' ')}: ${line}`).toBe('');
      }),
      { numRuns: sample(1000) },
    );
  });
});
