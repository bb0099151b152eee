/** Compares predicted lists of files with the programs that print them. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { sample } from '../../../../test/property-runs.ts';
import { analyseCommand } from '../../shell/analysis/analyse-command.ts';
import { DiskCache } from './disk-cache.ts';
import { simulateFind } from './simulate-find.ts';

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'found-')));
const files = [
  '.env',
  'a.ts',
  'b.md',
  '.h/x.ts',
  'src/a.ts',
  'src/b.js',
  'src/deep/c.ts',
  'src/.k',
  'src/-d.ts',
  'odd/a b.ts',
];

beforeAll(() => {
  for (const file of [...files, 'odd/ü.ts', 'odd/[x].ts', 'A.TS', 'node_modules/m/i.ts', 'src/node_modules/k.js']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), 'foo');
  }
  symlinkSync('../.env', join(folder, 'src/link.ts'));
  symlinkSync('src', join(folder, 'lib'));
  symlinkSync('nowhere', join(folder, 'gone.ts'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The predicted names that a line passes on; undefined if unknown. */
function said(line: string): readonly string[] | undefined {
  const { files: accesses, filesUnknown } = analyseCommand(line);
  const listed = accesses.find((access) => access.diskName !== undefined)?.diskName;
  if (filesUnknown !== undefined || listed?.names.type !== 'found') return undefined;
  return simulateFind(listed.names, folder, { searched: new Set(), disk: new DiskCache() });
}

function printed(line: string): readonly string[] {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: folder };
  const told = execFileSync('/bin/bash', ['--noprofile', '--norc', '-c', `${line}; true`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return told
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
}

const has = (program: string): boolean => printed(`command -v ${program}`).length > 0;

const test = fc.constantFrom(
  '-name "*.ts"',
  '-name "a*"',
  '-iname "*.TS"',
  '-name "[ab]*"',
  '-name "?.ts"',
  '-path "./src/*"',
  '-path "*/deep/*"',
  '-type f',
  '-type d',
  '-type l',
  '-type f,l',
  '-prune',
  '-print',
  '-maxdepth 1',
  '-mindepth 2',
  '-maxdepth 2',
  '-true',
  '-false',
  '-empty',
  '-size +0',
  '-path ./node_modules -prune',
  '-name node_modules -prune',
  '-depth',
  '-newer a.ts',
);
const one: fc.Arbitrary<string> = fc.letrec<{ any: string; one: string }>((tie) => ({
  one: fc.oneof(
    { depthSize: 'small' },
    test,
    tie('one').map((text) => `! ${text}`),
    tie('any').map((text) => `\\( ${text} \\)`),
  ),
  any: fc
    .tuple(tie('one'), fc.array(fc.tuple(fc.constantFrom(' ', ' ', ' -a ', ' -o '), tie('one')), { maxLength: 3 }))
    .map(([first, rest]) => first + rest.map(([operator, next]) => operator + next).join('')),
})).any;
const roots = fc.constantFrom('.', '.', 'src', 'src/', './src', 'lib', 'lib/', 'src odd', '', 'missing', 'a.ts');

describe('the files that find prints', () => {
  it(proves('X08')('are all predicted'), { timeout: 120_000 }, () => {
    const lines = fc
      .sample(fc.tuple(roots, one), { numRuns: sample(40), seed: 3 })
      .map(([root, text]) => `find ${root} ${text}`);
    let exact = 0;
    for (const line of lines) {
      const names = said(`${line} | xargs -d '\\n' cat`);
      if (names === undefined) continue;
      const found = printed(line);
      expect(names, line).toEqual(expect.arrayContaining([...new Set(found)]));
      if (names.length === new Set(found).size) exact += 1;
    }
    expect(exact).toBeGreaterThan(lines.length / 3);
  });

  it(proves('X08')('are selected by the tests before an action'), () => {
    expect(said("find . -name '*.md' -exec cat {} +")).toEqual(['./b.md']);
    expect(said("find src -type f -exec cat {} ';' -name '*.md'")?.length).toBe(printed('find src -type f').length);
    expect(said("find . -path ./src -prune -o -name 'a.ts' -exec cat {} +")).toEqual(['./a.ts']);
  });

  it.each([
    ['find -L . -name "*.ts" | xargs cat'],
    ['find . -follow -name "*.ts" | xargs cat'],
    ['find . -name "*.ts" , -print | xargs cat'],
    ['find . -printf "%f\\n" | xargs cat'],
    ['find . -name "*.ts" -exec echo .env ";" | xargs cat'],
    ['find . -name "*.ts" | sed s/x/y/ | xargs cat'],
    ['find . -name "*.ts" | xargs -0 cat'],
    ['find . -print0 | xargs cat'],
    ['find . -name "*.ts" | grep -o env | xargs cat'],
    ['find . -name "*.ts" 2>&1 | xargs cat'],
    ['find $x -name "*.ts" | xargs cat'],
    ['find . -unheard | xargs cat'],
    [`find . ${'! '.repeat(100)} -name "*.ts" | xargs cat`],
    ['find . -name "*.ts" -execdir cat {} +'],
    ['git ls-files ../x | xargs cat'],
    ['git -C src ls-files | xargs cat'],
    ['git ls-files -s | xargs cat'],
    ['fd -L | xargs cat'],
    ['rg -c foo | xargs cat'],
    ['grep -Rl foo | xargs cat'],
    ['grep -rn foo | xargs cat'],
  ])(proves('X08')('are unknown: %s'), (line) => {
    expect(said(line)).toBeUndefined();
  });
});

describe('the files that similar programs print', () => {
  it.each([
    ['git ls-files', 'git init -q . && git add -f . && git ls-files'],
    ["git ls-files '*.ts'", "git ls-files '*.ts'"],
    ['git ls-files src', 'git ls-files src'],
    ["git ls-files 'src/*.ts' odd", "git ls-files 'src/*.ts' odd"],
    ['grep -rl foo', 'grep -rl foo'],
    ["grep -rl --include='*.ts' foo src", "grep -rl --include='*.ts' foo src"],
    ['rg --files', 'rg --files'],
    ['rg --files --hidden src', 'rg --files --hidden src'],
    ['rg -l foo src', 'rg -l foo src'],
    ['fdfind', 'fdfind'],
    ['fdfind -e ts', 'fdfind -e ts'],
    ["fdfind '\\.ts$' src", "fdfind '\\.ts$' src"],
    ['fdfind -H -t f', 'fdfind -H -t f'],
    ["fdfind -g '*.ts' src odd", "fdfind -g '*.ts' src odd"],
    ['ls', 'ls'],
    ['ls src', 'ls src'],
    ['ls lib', 'ls lib'],
    ['ls src/a.ts', 'ls src/a.ts'],
  ])(proves('X08')('are all predicted: %s'), (line, real) => {
    if (!has(line.split(' ')[0] ?? '')) return;
    const found = printed(real).filter((name) => !name.startsWith('"'));
    const names = said(`${line} | xargs -d '\\n' cat`)?.map((name) => name.replace(/^\.\//, ''));
    expect(names).toEqual(expect.arrayContaining(found.map((name) => name.replace(/^\.\//, ''))));
  });
});
