import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { expandGlob } from '../../src/facts/paths/disk/expand-glob.ts';
import { analyseLine } from '../../src/facts/shell/analysis/analyse-command.ts';
import { couldBe, type ShellWord } from '../../src/facts/shell/words/shell-word.ts';
import type { WordChoice } from '../../src/facts/shell/words/word-choices.ts';
import { proves } from '../contract/cite.ts';
import { sample, seed } from '../property-runs.ts';
import { bash } from './bash-oracle.ts';
import { Choices, numbers } from './random/choices.ts';
import { ValueGrower } from './random/grow-values.ts';
import { ValueOracle, type ShownCall } from './value-oracle.ts';

const oracle = new ValueOracle();

function mayBe(choice: WordChoice, text: string): boolean {
  if (choice.type === 'text') return choice.value === text;
  if (choice.type === 'name' && choice.names.type === 'found') return true;
  const glob = choice.type === 'glob' ? choice.glob : choice.names.type === 'glob' ? choice.names.glob : '';
  const names = expandGlob(glob, oracle.folder);
  if (names === undefined || choice.type === 'glob') return names?.includes(text) ?? true;
  const { before, cut, after } = choice;
  const texts = names.map(
    (name) => before + (name.endsWith(cut) ? name.slice(0, name.length - cut.length) : name) + after,
  );
  // Where a name is split, the files are not known.
  return texts.includes(text) || (choice.plain && texts.some((each) => /[\s*?]/.test(each)));
}

function isOne(word: ShellWord, text: string): boolean {
  if (word.type === 'open' && word.choices !== undefined) return word.choices.some((choice) => mayBe(choice, text));
  if (word.type === 'open' && word.glob !== undefined)
    return expandGlob(word.glob, oracle.folder)?.includes(text) ?? true;
  return couldBe(word, text);
}

/** Whether the words can become these. */
function fits(words: readonly ShellWord[], found: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return found.length === 0;
  const [first, ...others] = found;
  const takes = first !== undefined && isOne(word, first);
  if (word.type === 'literal' || !word.splits) return takes && fits(rest, others);
  return fits(rest, found) || (takes && fits(words, others));
}

interface Tally {
  calls: number;
  certain: number;
  readonly wrong: string[];
}

function compare(tally: Tally, script: string, { words }: ShownCall): void {
  const { unknown, commands } = analyseLine(script);
  if (unknown !== undefined) return;
  tally.calls += 1;
  const read = commands
    .map(({ argv }) => argv)
    .find(([name, id]) => name?.text === 'p' && id?.type === 'literal' && id.value === words[0])
    ?.slice(1);
  if (read?.every((word) => word.type === 'literal' || word.choices !== undefined) === true) tally.certain += 1;
  if (read !== undefined && fits(read, words)) return;
  const said = read?.map((word) =>
    word.type === 'literal' ? word.value : (word.choices ?? word.glob ?? word.knownPieces),
  );
  tally.wrong.push(`${script}\n  ${JSON.stringify(words)} is called ${JSON.stringify(said)}`);
}

describe.skipIf(bash === undefined)('the value of a variable', () => {
  afterAll(() => oracle.remove());

  it(proves('X08')('equals the value that bash inserts, in random scripts'), { timeout: 600_000 }, () => {
    const samples = fc.sample(numbers(120), { numRuns: sample(1500), seed });
    const scripts = samples.map((choices) => new ValueGrower(new Choices(choices)).script());
    const tally: Tally = { calls: 0, certain: 0, wrong: [] };
    for (const call of oracle.run(scripts)) compare(tally, scripts[call.script] ?? '', call);
    tally.wrong.sort((one, other) => one.length - other.length);
    expect(tally.wrong.slice(0, 5), `seed ${seed}`).toEqual([]);
    expect(tally.certain / tally.calls).toBeGreaterThan(0.2);
  });
});
