/** Random lines of cp, mv, ln, rsync and others, really run in a folder of links and odd names, against the facts. */

import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolCall } from '../../src/kernel/call.ts';
import { writesFact } from '../../src/facts/paths/file-facts.ts';
import { writesInsideFact } from '../../src/facts/paths/inside-facts.ts';
import type { ToolDeclaration } from '../../src/kernel/tool.ts';
import { proves } from '../contract/cite.ts';
import { sample } from '../property-runs.ts';
import { isInstalled } from './watched-folder.ts';

const bash: ToolDeclaration = { name: 'bash', commands: ['line'], touches: { bash: ['line'] } };

let base = '';
let ws = '';

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-copies-')));
  ws = join(base, 'ws');
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A folder with trees, links inside and to the outside, and names that lie in each other's way. */
function reset(): void {
  for (const name of readdirSync(base)) rmSync(join(base, name), { recursive: true, force: true });
  const files = ['out/o', 'ws/a', 'ws/.env', 'ws/src/x', 'ws/src/sub/y', 'ws/src/sub/.env', 'ws/lib/x', 'ws/lib/sub/z'];
  for (const folder of ['out', 'ws/src/sub', 'ws/lib/sub', 'ws/dst/src', 'ws/dst/lib/sub', 'ws/empty'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of files) writeFileSync(join(base, file), `${file}\n`);
  for (const [link, to] of [
    ['ws/dst/src/x', '../../../out/o'],
    ['ws/dst/a', '../a2'],
    ['ws/dst/lib/sub/z', '../../../.env'],
    ['ws/tosrc', 'src'],
    ['ws/toout', '../out'],
    ['ws/toenv', '.env'],
    ['ws/empty/l', '../a'],
  ] as const)
    symlinkSync(to, join(base, link));
}

/** Every entry below a folder with what it is and holds. */
function entries(folder: string, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, prefix))) {
    const path = join(prefix, name);
    const stats = lstatSync(join(folder, path));
    if (stats.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(folder, path))}`);
    else if (stats.isFile())
      found.set(path, `file ${stats.ino} ${stats.ctimeMs} ${readFileSync(join(folder, path), 'utf8')}`);
    else {
      found.set(path, 'folder');
      for (const [below, what] of entries(folder, path)) found.set(below, what);
    }
  }
  return found;
}

/** The entries that a line makes, changes or deletes. A hard link changes the time of its source, so times of sources do not count. */
function changed(line: string): readonly string[] {
  reset();
  const before = entries(base);
  spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', line], { cwd: ws, stdio: 'ignore', timeout: 10_000 });
  const after = entries(base);
  const paths = new Set([...before.keys(), ...after.keys()]);
  return Array.from(paths).filter((path) => before.get(path) !== after.get(path));
}

function told(line: string, fact: ReturnType<typeof writesFact>): unknown {
  const call = { id: '1', tool: 'bash', args: { line }, cwd: ws, agent: [], tier: 'confirm' };
  return fact(call as unknown as ToolCall, bash);
}

const source = fc.constantFrom(
  'a',
  'src',
  'src/',
  './src',
  'src/.',
  'src/sub',
  'lib',
  'lib/',
  'tosrc',
  'tosrc/',
  'toenv',
  'empty',
  'missing',
  'src/x',
  '.env',
  'src/*',
  '*/x',
  'lib/sub',
  'new',
  'new/src',
  'made',
  'made/x',
  '"$PWD/src"',
  'dst',
);
const destination = fc.constantFrom(
  'new',
  'new/',
  'dst',
  'dst/',
  'dst/src',
  'lib',
  'src',
  'a',
  'toout',
  'toout/',
  'toenv',
  'tosrc',
  'made',
  'made/',
  '.',
  'b/c',
  'dst/lib',
  'empty',
  './new',
  'new/../new',
  '../ws/new',
  'dst/a',
);
const copier = fc.constantFrom(
  'cp',
  'cp -r',
  'cp -a',
  'cp -R',
  'cp -rL',
  'cp -f',
  'cp -s',
  'cp -rs',
  'cp -rT',
  'cp -T',
  'cp -rn',
  'cp -P',
  'cp -rH',
  'mv',
  'mv -f',
  'mv -n',
  'mv -T',
  'ln -s',
  'ln -sf',
  'ln -sfn',
  'ln',
  'ln -f',
  'install',
  'rsync -a',
  'rsync -r',
  'rsync',
  'rsync -a --delete',
  'rsync -aR',
  'cp -r --remove-destination',
  'cp -rl',
  'rsync -a --remove-source-files',
);
const copy = fc
  .tuple(copier, fc.array(source, { minLength: 1, maxLength: 2 }), destination)
  .map(([program, sources, to]) => `${program} ${sources.join(' ')} ${to}`);
const other = fc.constantFrom(
  'mkdir made',
  'mkdir -p new',
  'mkdir -p new/src',
  'touch made',
  'echo x > new',
  'mkdir made && touch made/.env',
  'rm -rf dst',
  'touch dst/src/y',
  'rm -f a',
  'mkdir b',
  'touch src/q',
  'rm -r lib && mkdir lib',
  'true',
);
const line = fc.oneof(
  copy,
  fc.tuple(other, copy).map(([first, second]) => `${first} && ${second}`),
  fc.tuple(other, copy).map(([first, second]) => `${first}; ${second}`),
  fc.tuple(copy, copy).map(([first, second]) => `${first}; ${second}`),
);

/** Facts that are about one file, as text. */
function wrongOnes(text: string): readonly string[] {
  reset();
  const answers = new Map<string, unknown>();
  const inside = told(text, writesInsideFact(['.']));
  const ask = (path: string): unknown => {
    const known = answers.get(path) ?? told(text, writesFact(`${base}/${path}`));
    answers.set(path, known);
    return known;
  };
  const paths = changed(text);
  reset();
  const denied = paths.filter((path) => ask(path) === false);
  const left = inside === true ? paths.filter((path) => !path.startsWith('ws/')) : [];
  return [...denied.map((path) => `writes ${path}`), ...left.map((path) => `leaves to ${path}`)];
}

describe('lines that copy, move and link', () => {
  it(proves('X08')('change nothing that the facts rule out'), { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(line, (text) => {
        // They would copy a folder into itself endlessly.
        if (/tosrc/u.test(text) && /-r[HL]/u.test(text)) return;
        if (text.includes('rsync') && !isInstalled('rsync')) return;
        expect(wrongOnes(text), text).toEqual([]);
      }),
      { numRuns: sample(30) },
    );
  });

  it.each([
    ['cp -r src newdir', '**/.git/**'],
    ['cp -r lib newdir', '**/.env'],
    ['cp -r lib/. new', '**/.ssh/**'],
    ['mv a b', '**/.env'],
    ['mv missing b', '**/.env'],
    ['mv lib b', '**/.env'],
    ['mkdir -p b && mv a lib b/', '**/.env'],
    ['ln -s a b', '**/.env'],
    ['ln -s lib b', '**/.env'],
    ['rsync -a lib/ empty2/', '**/.env'],
    ['scp a host:b', '**/.env'],
    ['rsync -a lib host:b', '**/.env'],
    ['cat a > tmp && mv tmp a', '**/.env'],
    ['cp lib/* b', '**/.env'],
  ])(proves('X08')('are known not to write other files: %s, %s'), (text, glob) => {
    reset();
    expect(told(text, writesFact(glob))).toBe(false);
  });

  it.each([
    ['cp -r src newdir', '**/.env'],
    ['cp -r src newdir', 'newdir/sub/.env'],
    ['mkdir made && cp -r src made', 'made/src/sub/.env'],
    ['mkdir made && touch made/.env && mv made b', 'b/.env'],
    ['cp -r lib dst', '**/.env'],
    ['cp -rT src newdir', 'newdir/x'],
    ['cp -s a b; echo x > b', 'a'],
    ['rsync -a src/ new', 'new/x'],
    ['rsync -a src new', 'new/src/x'],
    ['for i in 1 2; do cp -r src new; done', 'new/src/x'],
    ['f() { cp -r src new; }; f; f', 'new/src/x'],
  ])(proves('X08')('may write a file that they could reach: %s, %s'), (text, glob) => {
    reset();
    expect(told(text, writesFact(glob))).not.toBe(false);
  });
});
