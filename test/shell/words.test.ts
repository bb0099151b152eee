import fc from 'fast-check';
import { parse, type Word } from 'unbash';
import { afterAll, describe, expect, it } from 'vitest';
import { expandGlob } from '../../src/facts/paths/disk/expand-glob.ts';
import { analyseLine } from '../../src/facts/shell/analysis/analyse-command.ts';
import { readSingleWord } from '../../src/facts/shell/words/read-word.ts';
import { couldBe, type ShellWord } from '../../src/facts/shell/words/shell-word.ts';
import { proves } from '../contract/cite.ts';
import { sample, seed, someOf } from '../property-runs.ts';
import { bash } from './bash-oracle.ts';
import { Choices, numbers } from './random/choices.ts';
import { growWord, singleWords } from './random/grow-word.ts';
import { WordOracle, type FoundWords } from './word-oracle.ts';

/** Variables of every kind that a word may expand, all with values that the line shows. */
const variables = String.raw`v='a b' w=AB e= n=v l=(a 'b c' '*') k=1 g='*' t='~'`;

/** Where a word stands: the line that shows bash's reading, and Bridle's reading of it. */
interface Place {
  readonly line: (word: string) => string;
  readonly read: (word: string) => readonly ShellWord[] | undefined;
}

function argumentsOf(line: string): readonly ShellWord[] | undefined {
  const { unknown, commands } = analyseLine(line);
  return unknown === undefined ? commands.at(-1)?.argv.slice(1) : undefined;
}

function single(word: Word | undefined): readonly ShellWord[] | undefined {
  return word === undefined ? undefined : [readSingleWord(word)];
}

/** The first command of a line, if the line parses. */
function firstCommand(line: string) {
  const { commands, errors } = parse(line);
  const node = commands[0]?.command;
  const isAlone = commands.length === 1 && (errors === undefined || errors.length === 0);
  return isAlone && node?.type === 'Command' ? node : undefined;
}

const places: Readonly<Record<string, Place>> = {
  argument: {
    line: (word) => `${variables}; p ${word}`,
    read: (word) => argumentsOf(`${variables}; p ${word}`),
  },
  several: {
    line: (word) => `${variables}; p x ${word} y`,
    read: (word) => argumentsOf(`${variables}; p x ${word} y`),
  },
  assignment: {
    line: (word) => `${variables}; x=${word}; p "$x"`,
    read: (word) => {
      const { name, prefix } = firstCommand(`x=${word}`) ?? {};
      const item = name === undefined && prefix?.length === 1 ? prefix[0] : undefined;
      return item?.type === 'Assignment' && item.value.type === 'Word' ? single(item.value) : undefined;
    },
  },
  declaration: {
    line: (word) => `${variables}; declare x=${word}; p "x=$x"`,
    read: (word) => argumentsOf(`declare x=${word}`),
  },
  redirection: {
    // Nothing may be written outside this folder.
    line: (word) =>
      /[/~]/.test(word)
        ? ''
        : `${variables}; d=../r$BASHPID; /bin/mkdir $d; cd $d; : > ${word} && { shopt -s dotglob nullglob; p *; }`,
    read: (word) => {
      const { suffix, redirects } = firstCommand(`: > ${word}`) ?? {};
      const item = suffix?.length === 1 ? redirects?.[0] : undefined;
      return item?.type === 'Redirect' ? single(item.target) : undefined;
    },
  },
  hereString: {
    line: (word) => `${variables}; IFS= read -r -d '' x <<< ${word}; p "\${x%?}"`,
    read: (word) => {
      const { suffix, redirects } = firstCommand(`cat <<< ${word}`) ?? {};
      const item = suffix?.length === 1 ? redirects?.[0] : undefined;
      return item?.type === 'HereString' ? single(item.target) : undefined;
    },
  },
};

function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The word with its texts as bash's bytes. */
function asBytes(word: ShellWord): ShellWord {
  if (word.type === 'literal') return { ...word, value: latin1(word.value) };
  return { ...word, knownPieces: word.knownPieces.map(latin1) };
}

/** Whether the words can become these. */
function fits(words: readonly ShellWord[], found: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return found.length === 0;
  const [first, ...others] = found;
  const takes = first !== undefined && couldBe(word, first);
  if (word.type === 'literal' || !word.splits) return takes && fits(rest, others);
  return fits(rest, found) || (takes && fits(words, others));
}

interface Tally {
  known: number;
  certain: number;
  readonly wrong: string[];
}

const oracle = new WordOracle();

/** `sub/` and `.//sub` are the file `sub`. */
function normal(name: string): string {
  return name.replaceAll(/\/+/g, '/').replace(/(?<=.)\/$/, '');
}

/** The mistake in the analysis of a word, if there is one. */
function problem(words: readonly ShellWord[], found: readonly string[]): string | undefined {
  if (!fits(words.map(asBytes), found)) return 'does not fit';
  const [only] = words;
  if (words.length !== 1 || only?.type !== 'open') return undefined;
  if (only.home !== undefined && latin1(only.home.replace('~', oracle.home)) !== found[0]) return 'another home';
  if (only.glob === undefined) return undefined;
  const names = expandGlob(only.glob, oracle.folder)?.map((name) => normal(latin1(name)));
  return names === undefined || found.every((name) => names.includes(normal(name))) ? undefined : 'other files';
}

function compare(tally: Tally, { place, word, found }: { place: string; word: string; found: FoundWords }): void {
  if (found === undefined) return;
  tally.known += 1;
  const words = places[place]?.read(word);
  if (words === undefined) return;
  if (words.every(({ type }) => type === 'literal')) tally.certain += 1;
  const wrong = problem(words, found);
  if (wrong === undefined) return;
  const read = words.map((each) => (each.type === 'literal' ? each.value : (each.glob ?? each.knownPieces)));
  tally.wrong.push(`${place} ${JSON.stringify(word)} ${wrong}: ${JSON.stringify(read)} for ${JSON.stringify(found)}`);
}

async function compareAll(words: readonly string[], locale: string, where = Object.keys(places)): Promise<Tally> {
  const tally: Tally = { known: 0, certain: 0, wrong: [] };
  const all = where.flatMap((place) => words.map((word) => ({ place, word })));
  const found = await oracle.run(
    all.map(({ place, word }) => places[place]?.line(word) ?? ''),
    locale,
  );
  all.forEach((each, index) => compare(tally, { ...each, found: found[index] }));
  tally.wrong.sort((one, other) => one.length - other.length);
  return tally;
}

function randomWords(wanted: number): readonly string[] {
  const samples = fc.sample(numbers(30), { numRuns: wanted, seed });
  return Array.from(new Set(samples.map((choices) => growWord(new Choices(choices)))));
}

describe.skipIf(bash === undefined)('the words that bash makes from a word', () => {
  afterAll(() => oracle.remove());

  it.each([
    ['C', ['argument']],
    ['C.UTF-8', ['argument', 'assignment', 'declaration', 'hereString']],
  ])(
    proves('X13')('match the analysis for every way to write one, in the locale %s'),
    { timeout: 120_000 },
    async (locale, where) => {
      const { wrong, known, certain } = await compareAll(someOf(singleWords, 150), locale, where);
      expect(wrong.slice(0, 10)).toEqual([]);
      expect(certain / known).toBeGreaterThan(0.4);
    },
  );

  it(proves('X13')('match the analysis for random words'), { timeout: 1_200_000 }, async () => {
    const words = randomWords(sample(300));
    const { wrong, known, certain } = await compareAll(words, 'C.UTF-8');
    expect(wrong.slice(0, 10), `seed ${seed}`).toEqual([]);
    expect(certain / known).toBeGreaterThan(0.15);
  });
});
