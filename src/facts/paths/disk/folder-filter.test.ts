/** Compares the facts with what programs that skip hidden and ignored files really read. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../kernel/call.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { sample } from '../../../../test/property-runs.ts';
import { isInstalled } from '../../../../test/shell/watched-folder.ts';
import { isUnknown } from '../../truth.ts';
import { readsFact } from '../file-facts.ts';

const bash: ToolDeclaration = { name: 'bash', commands: ['line'], touches: { bash: ['line'] } };

function answer(line: string, cwd: string, pattern: string): string {
  const call = { id: '1', tool: 'bash', args: { line }, cwd, agent: [], tier: 'confirm' } as unknown as ToolCall;
  const truth = readsFact(pattern)(call, bash);
  return isUnknown(truth) ? '?' : truth ? 'yes' : 'no';
}

function inFolder<T>(files: Readonly<Record<string, string>>, look: (folder: string) => T): T {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-choice-')));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return look(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const git = { '.git/HEAD': 'ref: refs/heads/main\n' };
const secret = { '.env': 'KEY=1\n', 'src/a.ts': 'a\n' };

describe('a search that leaves out hidden and ignored files', () => {
  it.each([
    ['rg KEY', secret, 'no'],
    ['rg KEY .', secret, 'no'],
    ['rg KEY src', secret, 'no'],
    ['rg KEY .env', secret, 'yes'],
    ['rg --hidden KEY', secret, '?'],
    ['rg -. KEY', secret, '?'],
    ['rg -uu KEY', secret, '?'],
    ['rg --no-ignore KEY', secret, '?'],
    ['rg -L KEY', secret, '?'],
    ["rg -g '*' KEY", secret, '?'],
    ["rg -g '.e*' KEY", secret, '?'],
    ["rg -g '*.ts' KEY", secret, 'no'],
    ["rg -g '*.{ts,tsx}' KEY", secret, 'no'],
    ["rg -g '!src' KEY", secret, 'no'],
    ["rg --iglob '*.TS' KEY", secret, '?'],
    ['rg -t ts KEY', secret, 'no'],
    ['rg -t other KEY', secret, '?'],
    ["rg --type-add 'ts:.env' -t ts KEY", secret, '?'],
    ['rg KEY', { ...secret, '.ignore': '!.env\n' }, '?'],
    ['rg KEY', { ...secret, 'src/.env': 'x', 'src/.gitignore': '!/.env\n' }, '?'],
    ['rg KEY src', { ...secret, 'src/.env': 'x', '.gitignore': '!.e*\n' }, '?'],
    ['rg KEY', { ...secret, '.gitignore': '.env\n!.env.example\n' }, 'no'],
    ['rg --files', secret, 'no'],
    ['git add .', { ...git, ...secret, '.gitignore': '.env\n' }, 'no'],
    ['git add .', { ...git, ...secret }, '?'],
    ['git add -f .', { ...git, ...secret, '.gitignore': '.env\n' }, '?'],
    ['git add -A', { ...git, ...secret, '.gitignore': '.env\n' }, 'no'],
    ['git add -A', { ...git, ...secret }, '?'],
  ] as const)(proves('X08')('is recognised: %s'), (line, files, expected) => {
    inFolder(files, (folder) => expect(answer(line, folder, '**/.env')).toBe(expected));
  });

  it(proves('X08')('does not enter ignored folders'), () => {
    const many = Object.fromEntries(Array.from({ length: 20_100 }, (_, index) => [`node_modules/x${index}`, '']));
    inFolder({ ...git, ...secret, ...many, '.gitignore': 'node_modules/\n' }, (folder) => {
      expect(answer('rg KEY', folder, '**/*.pem')).toBe('no');
      expect(answer('git add .', folder, '**/*.pem')).toBe('no');
      expect(answer('grep -r KEY .', folder, '**/*.pem')).toBe('?');
      expect(answer('grep -r --exclude-dir=node_modules KEY .', folder, '**/*.pem')).toBe('no');
    });
  });
});

describe('a search of files by their names', () => {
  it.each([
    ['grep -r KEY .', '?'],
    ["grep -r --include='*.ts' KEY .", 'no'],
    ["grep -r --include='*' KEY .", '?'],
    ["grep -r --include='.e*' KEY .", '?'],
    ['grep -r --exclude=.env KEY .', 'no'],
    ["grep -r --exclude='.*' KEY", 'no'],
    ["grep -r --exclude=x --include='*.ts' KEY .", '?'],
    ["grep -r --include='*.ts' --exclude=x KEY .", 'no'],
    ['grep -r --exclude=.env --include=.env KEY .', '?'],
    ["grep -r --exclude-from=src/a.ts --include='*.ts' KEY .", '?'],
    ['grep -r --include="$x" KEY .', '?'],
    ['grep -r --exclude-dir=src KEY .', '?'],
    ["grep -r --include='*.ts' KEY .env", 'yes'],
  ])(proves('X08')('is recognised: %s'), (line, expected) => {
    inFolder(secret, (folder) => expect(answer(line, folder, '**/.env')).toBe(expected));
  });
});

const name = fc.constantFrom('a', '.b', 'c.ts', '.env', 'd', '.e.ts');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(
  (names) =>
    `${names
      .slice(0, -1)
      .map((each) => `${each}.d/`)
      .join('')}${names.at(-1)}`,
);
const pattern = fc.constantFrom(
  'a',
  'a.d',
  'a.d/',
  '/d',
  '.env',
  '!.env',
  '!.b.d',
  '*.ts',
  '!*.ts',
  '*',
  '!*/',
  '!a',
  '**/d',
  'a.d/.env',
  '!.b.d/*',
  '[cd]',
  '#x',
  '\\!a',
  ' ',
);
const ignoring = fc.tuple(
  fc.constantFrom('', 'a.d/', '.b.d/'),
  fc.constantFrom('.gitignore', '.ignore', '.rgignore'),
  fc.array(pattern, { maxLength: 3 }),
);
const option = fc.constantFrom(
  '',
  '--hidden',
  '-u',
  "-g '*.ts'",
  "-g '!a'",
  "-g '.e*'",
  "-g 'a.d/**'",
  '-t ts',
  "-g '*.{ts,x}'",
  '-uu',
  '--no-ignore-dot',
);
const filter = fc.constantFrom(
  '--include=a',
  "--include='*.ts'",
  '--exclude=.env',
  "--exclude='.*'",
  '--exclude-dir=a.d',
  "--exclude-dir='.*'",
  '--include=.env',
  "--exclude='*'",
  "--include='*'",
);

interface Tree {
  readonly files: readonly string[];
  readonly ignores: readonly (readonly [string, string, readonly string[]])[];
  readonly repositories: readonly string[];
}

const tree: fc.Arbitrary<Tree> = fc.record({
  files: fc.array(path, { minLength: 1, maxLength: 8 }),
  ignores: fc.array(ignoring, { maxLength: 3 }),
  repositories: fc.subarray(['', 'a.d/']),
});

function filesOf({ files, ignores, repositories }: Tree): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...files.map((each) => [each, 'KEY\n']),
    ...repositories.map((folder) => [`${folder}.git/HEAD`, 'ref: refs/heads/main\n']),
    ...ignores.map(([folder, file, lines]) => [`${folder}${file}`, `${lines.join('\n')}\n`]),
  ]);
}

/** The files that the line prints although the facts deny it. */
function missed(line: string, folder: string): readonly string[] {
  const { stdout } = spawnSync('/bin/bash', ['--norc', '-c', line], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const shown = stdout.split('\n').filter((each) => each !== '' && !each.includes('.git/'));
  return shown.filter((each) => answer(line, folder, join(folder, each)) === 'no');
}

describe('random folders and options', () => {
  it.each([
    ['rg', fc.tuple(option, option).map(([one, other]) => `rg -l ${one} ${other} KEY .`)],
    ['grep', fc.array(filter, { maxLength: 3 }).map((filters) => `grep -rl ${filters.join(' ')} KEY .`)],
  ] as const)(proves('X08')('never read a file that the facts deny: %s'), { timeout: 120_000 }, (program, lines) => {
    if (!isInstalled(program)) return;
    fc.assert(
      fc.property(tree, lines, (given, line) => {
        expect(inFolder(filesOf(given), (folder) => missed(line, folder))).toEqual([]);
      }),
      { numRuns: sample(10) },
    );
  });
});
