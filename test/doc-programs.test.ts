import { expect, it } from 'vitest';
import { programsIn, proseOf } from './doc-programs.ts';

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

it('refuses an output that follows no program', () => {
  expect(() => programsIn('a.md', `${fence}text output\n1\n${fence}\n`)).toThrow('follows no program');
});

it('leaves out what is fenced', () => {
  expect(proseOf(text)).not.toMatch(/const|npm/);
});
