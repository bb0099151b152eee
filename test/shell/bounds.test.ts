import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseCommand, isLineOpaque } from '../../src/facts/index.ts';
import { proves } from '../contract/cite.ts';
import { sample } from '../property-runs.ts';
import { runsOnlyQuestion, runsQuestion } from './answers.ts';
import { Choices, numbers } from './random/choices.ts';
import { growTree } from './random/command-tree.ts';
import type { World } from './random/grower.ts';

const world: World = {
  programs: [
    ['rm'],
    ['ls'],
    ['cat'],
    ['echo'],
    ['git', 'push'],
    ['foo'],
    ['python3', '-c'],
    ['awk'],
    ['tar', '-x'],
    ['docker', 'run'],
  ],
  paths: ['/bin/'],
  real: false,
};
const runsRm = runsQuestion('rm');
const onlyLs = runsOnlyQuestion(['ls', 'cat', 'echo']);
/** Ten times what the analysis of any text should take. */
const limitMs = 5000;
const timeout = 120_000;

/** Evaluates every fact and returns the time it took. */
function ask(line: string): number {
  const start = performance.now();
  const { commands, files, filesUnknown, unknown } = analyseCommand(line);
  const answers: unknown[] = [runsRm(line), onlyLs(line), isLineOpaque(line), files, filesUnknown, unknown];
  for (const { argv } of commands) answers.push(argv.length);
  return performance.now() - start;
}

/** Damages a line: inserts, removes or reorders pieces of shell syntax. */
function mutate(line: string, choices: Choices): string {
  let text = line;
  for (let changes = 1 + choices.below(4); changes > 0; changes--) {
    const at = (choices.below(256) * 256 + choices.below(256)) % (text.length + 1);
    const length = choices.below(6);
    const token = choices.pick(
      '',
      "'",
      '"',
      '`',
      '$(',
      ')',
      '${',
      '}',
      '<<E',
      '\n',
      '\\',
      ';',
      '&',
      '|',
      '((',
      '$',
      '[[',
      '<(',
      '#',
      '\0',
      '\r',
      '\u00a0',
    );
    text = text.slice(0, at) + token + text.slice(choices.once(2) ? at + length : at);
  }
  return text;
}

const words = [
  'rm',
  'a',
  'x=1',
  'if',
  'then',
  'fi',
  'do',
  'done',
  'case',
  'in',
  'esac',
  'for',
  'function',
  'select',
  '{',
  '}',
];
const signs = [
  '(',
  ')',
  '[[',
  ']]',
  '$((',
  '))',
  '$(',
  '${',
  '`',
  '"',
  "'",
  "$'",
  '<<E',
  '<<-E',
  '<<<',
  '>',
  '&>',
  '|&',
  ';;',
];
const tokens = [
  ...words,
  ...signs,
  '\n',
  'E',
  '\\',
  '#',
  '&',
  '!',
  '*',
  '~',
  '\0',
  '\u2028',
  '$',
  '-c',
  'sh',
  'eval',
  'xargs',
];

describe('analysis of any text', () => {
  it(proves('X10', 'X05')('never throws and ends quickly: random text'), { timeout }, () => {
    const bytes = fc.string({ unit: 'binary', maxLength: 200 });
    const syntax = fc.array(fc.constantFrom(...tokens), { maxLength: 40, size: 'max' });
    const text = fc.oneof(
      bytes,
      syntax.map((all) => all.join(' ')),
      syntax.map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (line) => {
        expect(ask(line)).toBeLessThan(limitMs);
      }),
      { numRuns: sample(1000) },
    );
  });

  it(proves('X10', 'X05')('never throws and ends quickly: damaged lines'), { timeout }, () => {
    fc.assert(
      fc.property(numbers(50), numbers(30), numbers(16), (choices, spelling, changes) => {
        const { line } = growTree(world, { choices, spelling });
        expect(ask(mutate(line, new Choices(changes)))).toBeLessThan(limitMs);
      }),
      { numRuns: sample(1000) },
    );
  });
});

/** Repeats something small many times, followed by `rm x` where bash would run it. */
const giants: Readonly<Record<string, (times: number) => string>> = {
  subshells: (times) => `${'( '.repeat(times)}rm x${' )'.repeat(times)}`,
  groups: (times) => `${'{ '.repeat(times)}rm x${'; }'.repeat(times)}`,
  substitutions: (times) => `echo ${'$('.repeat(times)}rm x${')'.repeat(times)}`,
  'quoted substitutions': (times) => `echo ${'"$(echo '.repeat(times)}"$(rm x)"${')"'.repeat(times)}`,
  'process substitutions': (times) => `cat ${'<(cat '.repeat(times)}<(rm x)${')'.repeat(times)}`,
  defaults: (times) => `echo ${'${a:-'.repeat(times)}$(rm x)${'}'.repeat(times)}`,
  arithmetic: (times) => `echo $((${'('.repeat(times)}1${')'.repeat(times)})); rm x`,
  'arithmetic terms': (times) => `echo $((${'1+'.repeat(times)}1)); rm x`,
  tests: (times) => `[[ ${'! '.repeat(times)}-f x ]]; rm x`,
  'test groups': (times) => `[[ ${'( '.repeat(times)}-f x${' )'.repeat(times)} ]]; rm x`,
  conditions: (times) => `${'if true; then '.repeat(times)}rm x${'; fi'.repeat(times)}`,
  loops: (times) => `${'while false; do '.repeat(times)}rm x${'; done'.repeat(times)}`,
  cases: (times) => `${'case a in a) '.repeat(times)}rm x${';; esac'.repeat(times)}`,
  functions: (times) => `${'f() { '.repeat(times)}rm x${'; }'.repeat(times)}; f`,
  negations: (times) => `${'! '.repeat(times)}rm x`,
  lists: (times) => `${'true; '.repeat(times)}rm x`,
  'lists of and': (times) => `${'true && '.repeat(times)}rm x`,
  pipelines: (times) => `${'true | '.repeat(times)}rm x`,
  lines: (times) => `${'true\n'.repeat(times)}rm x`,
  words: (times) => `rm ${'a '.repeat(times)}`,
  'quoted words': (times) => `rm ${'"a"'.repeat(times)}`,
  'one word': (times) => `rm ${'a'.repeat(times)}`,
  'empty quotes': (times) => `r${'""'.repeat(times)}m x`,
  continuations: (times) => `r${'\\\n'.repeat(times)}m x`,
  blanks: (times) => `${' '.repeat(times)}rm x`,
  comments: (times) => `${'# a\n'.repeat(times)}rm x`,
  assignments: (times) => `${'a=1 '.repeat(times)}rm x`,
  redirections: (times) => `${'>f '.repeat(times)}rm x`,
  braces: (times) => `echo ${'{a,'.repeat(times)}b${'}'.repeat(times)}; rm x`,
  'brace lists': (times) => `echo ${'{a,b}'.repeat(times)}; rm x`,
  wrappers: (times) => `${'env '.repeat(times)}rm x`,
  'wrappers of many kinds': (times) => `${'nice timeout 5 nohup '.repeat(times)}rm x`,
  finds: (times) => `find . ${'-exec true \\; '.repeat(times)}-exec rm x \\;`,
  evals: (times) => `${'eval '.repeat(times)}rm x`,
  documents: (times) =>
    `${Array.from({ length: times }, (_, index) => `cat <<E${index}\na\nE${index}\n`).join('')}rm x`,
  'documents of one line': (times) =>
    `cat ${Array.from({ length: times }, (_, index) => `<<E${index}`).join(' ')}; rm x\n${Array.from({ length: times }, (_, index) => `E${index}\n`).join('')}`,
  'documents for a shell': (times) => `${'sh <<E\nls\nE\n'.repeat(times)}rm x`,
};

/** Unclosed constructs, which make a line unknown. */
const unclosed = [
  '(',
  '{ ',
  '$(',
  '`',
  '"',
  "'",
  '${',
  '$((',
  '[[ ',
  '<(',
  'if ',
  'case a in ',
  '"$(',
  '${a:-',
  "$'",
  '((',
  'f() { ',
];

describe('past every limit', () => {
  it.each(Object.entries(giants))(proves('X05', 'X10')('a program is not overlooked: %s'), (_name, make) => {
    for (const times of [50, 300, 3000, 10_000, 100_000]) {
      const line = make(times).slice(0, 2 ** 20);
      expect(ask(line), `${times} times`).toBeLessThan(limitMs);
      expect(runsRm(line), `${times} times`).not.toBe('no');
      expect(onlyLs(line), `${times} times`).not.toBe('yes');
    }
  });

  it.each(unclosed)(proves('X05', 'X10')('text without an end is unknown: %s'), (start) => {
    for (const times of [1, 51, 10_001, 250_001]) {
      const line = `ls; ${start.repeat(times)}`.slice(0, 2 ** 20 - 1);
      expect(ask(line), `${times} times`).toBeLessThan(limitMs);
      expect(runsRm(line), `${times} times`).toBe('unknown');
      expect(onlyLs(line), `${times} times`).not.toBe('yes');
    }
  });

  it(proves('X05')('nested code is followed to any depth, or unknown'), { timeout }, () => {
    let line = 'rm x';
    for (let depth = 0; depth < 90; depth++) {
      line = `eval ${JSON.stringify(line).replaceAll('$', '\\$')}`;
      if (line.length > 2 ** 20) break;
      expect(ask(line), `${depth} deep`).toBeLessThan(limitMs);
      expect(runsRm(line), `${depth} deep`).not.toBe('no');
    }
    let wrapped = 'rm x';
    for (let depth = 0; depth < 200; depth++) {
      wrapped = `env ${wrapped}`;
      expect(runsRm(wrapped), `${depth} deep`).not.toBe('no');
    }
  });

  it(proves('X10')('a megabyte is unknown immediately'), () => {
    for (const part of ['a ', 'ls; ', "'", '<<E ', '(', '$(', '\n', '\0', 'é', '{a,b}']) {
      const line = part.repeat(2 ** 20).slice(0, 2 ** 20);
      expect(ask(line)).toBeLessThan(limitMs);
      expect([runsRm(line), onlyLs(line)]).toEqual(['unknown', 'unknown']);
    }
  });
});
