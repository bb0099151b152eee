import { expect, it } from 'vitest';
import { blocksIn, commandsIn, filledIn, flagsOf, programsIn, proseOf, transcriptOf } from './doc-programs.ts';

const fence = '```';
const text = `# Title

${fence}ts
const a = 1;
${fence}

<!-- continues -->
${fence}ts
console.log(a);
${fence}

${fence}text output
1
${fence}

${fence}sh
npm test
${fence}

${fence}ts no-run
const b = 2;
${fence}
`;

it('joins a block to the one it continues, at its own line', () => {
  const [first, second, ...rest] = programsIn('a.md', text);
  expect(rest).toEqual([]);
  expect(first).toMatchObject({ line: 4, runs: true, output: '1' });
  expect(first?.code.split('\n').slice(3, 9)).toEqual(['const a = 1;', '', '', '', '', 'console.log(a);']);
  expect(second).toMatchObject({ line: 21, runs: false, output: undefined });
});

it('refuses an output block without a program', () => {
  expect(() => programsIn('a.md', `${fence}text output\n1\n${fence}\n`)).toThrow('follows no program');
});

it('leaves out fenced blocks', () => {
  expect(proseOf(text)).not.toMatch(/const|npm/);
});

it('finds blocks by their language, with their flags', () => {
  const found = blocksIn('a.md', `${fence}yaml whole\na: 1\n${fence}\n${fence}ts\n${fence}\n`, ['yaml', 'sh']);
  expect(found).toEqual([{ path: 'a.md', line: 2, language: 'yaml', flags: ['whole'], text: 'a: 1\n' }]);
});

it.each<[string, string, string[][]]>([
  [
    'sh',
    'npm ci && bridle test # bridle nothing\n# bridle no\n\n',
    [
      ['npm', 'ci'],
      ['bridle', 'test'],
    ],
  ],
  [
    'sh',
    "printf 'bridle a' | npx bridle chat \\\n  --json",
    [
      ['printf', '…'],
      ['npx', 'bridle', 'chat', '--json'],
    ],
  ],
  ['console', '$ bridle lint\nbridle no\n', [['bridle', 'lint']]],
])('finds the commands of a block: %s %j', (language, typed, expected) => {
  expect(commandsIn({ path: 'a.md', line: 1, language, flags: [], text: typed })).toEqual(expected);
});

it('reads console blocks, including commands over several lines', () => {
  const [block] = blocksIn(
    'a.md',
    `${fence}console with=a with=b\n$ one\n1\n\n$ two \\\n  more\n2\n$ three\n${fence}\n`,
  );
  if (block === undefined) throw new TypeError('There is no block.');
  expect(flagsOf(block, 'with')).toEqual(['a', 'b']);
  expect(transcriptOf(block)).toEqual([
    { typed: 'one', printed: '1' },
    { typed: 'two \\\n  more', printed: '2' },
    { typed: 'three', printed: '' },
  ]);
});

it.each([
  ['a', 'a', true],
  ['a', 'b', false],
  ['a', 'a\nb', false],
  ['a (…) b', 'a (1.5) b', true],
  ['a … b', 'a \n b', false],
  ['ok, … ms', 'ok, 5 ms', true],
  ['a\n…\nb', 'a\nb', true],
  ['a\n…\nb', 'a\n1\n2\nb', true],
  ['a\n…', 'a\n1', true],
  ['a.b', 'axb', false],
])('decides whether %j matches %j', (shown, printed, fits) => {
  expect(filledIn(shown, printed)).toBe(fits ? printed : shown);
});
