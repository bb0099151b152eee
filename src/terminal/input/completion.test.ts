import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commonStart, completeName, fileCompleter, firstCompletion, nameFiles } from './completion.ts';

let root: string;

async function candidates(text: string): Promise<readonly string[] | undefined> {
  return (await fileCompleter(root)(text, text.length))?.candidates;
}

beforeAll(() => {
  const outer = mkdtempSync(join(tmpdir(), 'bridle-completion-'));
  root = join(outer, 'project');
  for (const folder of ['.git', 'src/deep/er', 'node_modules/lib', '.hidden'])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, '.gitignore'), 'node_modules/\nbuild.log\n');
  for (const file of [
    'README.md',
    'a file.txt',
    'build.log',
    'src/main.ts',
    'src/deep/er/session.ts',
    '.env',
    'node_modules/lib/session.js',
  ])
    writeFileSync(join(root, file), '');
  writeFileSync(join(outer, 'secret.txt'), '');
  writeFileSync(join(root, 'ev\u001B[2Jil.txt'), '');
  symlinkSync(outer, join(root, 'out'));
});

afterAll(() => rmSync(join(root, '..'), { recursive: true, force: true }));

it('lists a folder, with hidden and ignored entries last', async () => {
  expect(await candidates('read @')).toEqual([
    '@README.md',
    '@"a file.txt"',
    '@out/',
    '@src/',
    '@.env',
    '@.gitignore',
    '@.hidden/',
    '@build.log',
    '@node_modules/',
  ]);
  expect(await candidates('read @src/')).toEqual(['@src/deep/', '@src/main.ts']);
  expect(await candidates('read @"a f')).toEqual(['@"a file.txt"']);
});

it('finds a name in the folders below, but not in hidden and ignored ones', async () => {
  expect(await candidates('fix @session')).toEqual(['@src/deep/er/session.ts']);
  expect(await candidates('fix @nothing-like-this')).toEqual([]);
});

it('completes nothing outside the folder, and only after an @', async () => {
  for (const text of ['@../', '@out/', '@/etc/', '@src/../../']) expect(await candidates(text)).toEqual([]);
  for (const text of ['README', 'me@', 'a @b c']) expect(await candidates(text)).toBeUndefined();
});

it('completes slash commands at the start, and tools everywhere', () => {
  const names = { commands: ['policy', 'help', 'hooks'], tools: ['view_file', 'run_command', 'run_query'] };
  expect(completeName('/h', names)).toEqual({ from: 0, candidates: ['/help', '/hooks'] });
  expect(completeName('/explain run', names)).toEqual({ from: 9, candidates: ['run_command', 'run_query'] });
  expect(completeName('see /h', names)?.candidates).toEqual([]);
  expect(completeName('r', names)).toBeUndefined();
});

it('takes the first completer that has candidates', async () => {
  const completer = firstCompletion([
    () => undefined,
    () => ({ from: 0, candidates: [] }),
    () => Promise.resolve({ from: 1, candidates: ['tools'] }),
  ]);
  expect(await completer('/to', 3)).toEqual({ from: 1, candidates: ['tools'] });
  expect(commonStart(['/policy', '/polish'])).toBe('/poli');
});

it('names existing files without the @, and leaves everything else alone', () => {
  expect(nameFiles('read @README.md, @src/main.ts and @"a file.txt"', root)).toBe(
    'read README.md, src/main.ts and "a file.txt"',
  );
  for (const text of ['ask @ann', 'npm i @xterm/headless', 'read @../secret.txt', 'ann@README.md', '@'])
    expect(nameFiles(text, root)).toBe(text);
});
