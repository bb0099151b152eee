import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { facts, outcome } from '../../../test/rigs/cel-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { sample, someOf } from '../../../test/property-runs.ts';

/** `?` is an unknown fact, `!` a failure. */
type Answer = boolean | '?' | '!';
interface Expression {
  readonly text: string;
  readonly answer: Answer;
}

/** The naive rules: what decides wins, then a failure, then an unknown. */
function decided(values: readonly Answer[], decides: boolean): Answer {
  if (values.includes(decides)) return decides;
  return values.find((value) => value === '!') ?? values.find((value) => value === '?') ?? !decides;
}

const binary: readonly ((a: Expression, b: Expression) => Expression)[] = [
  (a, b) => ({ text: `(${a.text} && ${b.text})`, answer: decided([a.answer, b.answer], false) }),
  (a, b) => ({ text: `(${a.text} || ${b.text})`, answer: decided([a.answer, b.answer], true) }),
  (a, b) => ({ text: `(${a.text} == ${b.text})`, answer: bothKnown(a, b, a.answer === b.answer) }),
  (a, b) => ({ text: loop('all', a, b), answer: decided([a.answer, b.answer], false) }),
  (a, b) => ({ text: loop('exists', a, b), answer: decided([a.answer, b.answer], true) }),
];

/** Loops in loops need items of different names. */
function loop(name: string, a: Expression, b: Expression): string {
  const item = `item${a.text.length + b.text.length}`;
  return `["a", "b"].${name}(${item}, ${item} == "a" ? ${a.text} : ${b.text})`;
}

function bothKnown(a: Expression, b: Expression, answer: Answer): Answer {
  return (
    [a.answer, b.answer].find((value) => value === '!') ?? [a.answer, b.answer].find((value) => value === '?') ?? answer
  );
}

function not({ text, answer }: Expression): Expression {
  return { text: `!${text}`, answer: typeof answer === 'boolean' ? !answer : answer };
}

/** An unknown choice is unknown, whatever the branches are, unless one of them fails. */
function choice(a: Expression, b: Expression, c: Expression): Expression {
  const text = `(${a.text} ? ${b.text} : ${c.text})`;
  if (typeof a.answer === 'boolean') return { text, answer: a.answer ? b.answer : c.answer };
  return { text, answer: [a, b, c].some(({ answer }) => answer === '!') ? '!' : '?' };
}

const yes: Expression = { text: 'runs("yes")', answer: true };
const no: Expression = { text: 'runs("no")', answer: false };
const unsure: Expression = { text: 'runs("unsure")', answer: '?' };
const failing: Expression = { text: '(1 / 0 == 1)', answer: '!' };

function level(below: readonly Expression[], choices: readonly Expression[]): readonly Expression[] {
  return [
    ...below,
    ...below.map(not),
    ...binary.flatMap((make) => below.flatMap((a) => below.map((b) => make(a, b)))),
    ...below.flatMap((a) => choices.flatMap((b) => choices.map((c) => choice(a, b, c)))),
  ];
}

function answerOf(text: string): Answer {
  const found = outcome(text);
  if (typeof found === 'boolean') return found;
  return found === 'unknown' ? '?' : found.startsWith('failed: ') ? '!' : fail(found, text);
}

function fail(found: string, text: string): never {
  throw new RangeError(`${text}: ${found}`);
}

function wrongOnes(expressions: readonly Expression[]): readonly string[] {
  return expressions
    .filter(({ text, answer }) => answerOf(text) !== answer)
    .map(({ text, answer }) => `${text} is not ${answer}`);
}

describe('conditions in three values', () => {
  it(proves('X01')('follow Kleene in every expression of depth 3'), { timeout: 60_000 }, () => {
    const atoms = [yes, no, unsure];
    const all = level(level(atoms, atoms), atoms);
    expect(all.length).toBeGreaterThan(30_000);
    expect(wrongOnes(someOf(all, 5000)).slice(0, 5)).toEqual([]);
  });

  it(proves('X01')('never lose a failure behind an unknown, nor an unknown behind a value, in any order'), () => {
    const atoms = [yes, no, unsure, failing];
    expect(wrongOnes(level(atoms, atoms))).toEqual([]);
    for (const together of ['&&', '||', '==']) {
      expect(outcome(`runs("unsure") ${together} (args.missing == 1)`)).toMatch(/^failed: .*no field "missing"/);
      expect(outcome(`(args.missing == 1) ${together} runs("unsure")`)).toMatch(/^failed: .*no field "missing"/);
    }
  });

  it(proves('X01')('follow Kleene in deep expressions with failures too'), { timeout: sample(60_000) }, () => {
    const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium', withCrossShrink: true },
        fc.constantFrom(yes, no, unsure, failing),
        tie('tree').map(not),
        fc.tuple(fc.constantFrom(...binary.slice(0, 3)), tie('tree'), tie('tree')).map(([make, a, b]) => make(a, b)),
        fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([a, b, c]) => choice(a, b, c)),
      ),
    }));
    fc.assert(
      fc.property(
        tree.filter(({ text }) => text.length < 2000 && deepest(text) < 30),
        ({ text, answer }) => answerOf(text) === answer,
      ),
      { numRuns: sample(400) },
    );
  });

  it(proves('X01')('keep a negated unknown unknown, for every fact'), () => {
    for (const fact of ['isPublicHost()', 'opaque()', 'runs("unsure")', 'runsOnly("unsure")', 'reads("unsure")']) {
      expect(outcome(`!${fact}`), fact).toBe('unknown');
      expect(outcome(fact), fact).toBe('unknown');
    }
    expect(outcome('writes("unsure")')).toBe('unknown');
    expect(outcome('underDomain("unsure")')).toBe('unknown');
    expect(outcome('host() == "example.com"')).toBe('unknown');
    expect(outcome('host() != "example.com"')).toBe('unknown');
    expect(outcome('host() in ["a", "b"]')).toBe('unknown');
    expect(outcome('host().matches("a")')).toBe('unknown');
    expect(outcome('!args.url.isPublicHost()', { url: 'https://unsure/' })).toBe('unknown');
    expect(outcome('[host()] == ["a"]')).toBe('unknown');
    expect(outcome('["a"].filter(x, runs("unsure")).size() == 0')).toBe('unknown');
    expect(outcome('["a"].exists_one(x, runs("unsure"))')).toBe('unknown');
  });

  it('accept only true, false or unknown from a fact', () => {
    for (const lie of [undefined, null, 1, 'yes', {}, { type: 'sure' }]) {
      const world = { tools: [], complete: false, facts: { ...facts, opaque: () => () => lie as never } };
      expect(outcome('opaque()', {}, world)).toMatch(/^failed: .*opaque gave no result/);
      expect(outcome('!opaque()', {}, world)).toMatch(/^failed: /);
    }
  });
});

function deepest(text: string): number {
  let [depth, most] = [0, 0];
  for (const character of text) {
    if (character === '(') most = Math.max(most, ++depth);
    if (character === ')') depth--;
  }
  return most;
}
