/**
 * Random lines full of changes of folder are run by the real bash, in a tree of links and odd names. In each folder a
 * line was really in, a probe says so: that folder must be among those that the facts think possible (X08).
 */

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filesOfLine } from '../../src/facts/paths/touched-files/files-of-line.ts';
import { proves } from '../contract/cite.ts';
import { runs } from '../property-runs.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'following-')));
const ws = join(base, 'ws');
const spelled = join(base, 'links/ws');
let count = 0;
const ownHome = process.env['HOME'];

beforeAll(() => {
  mkdirSync(join(base, 'tools'));
  writeFileSync(join(base, 'tools/cat'), `#!/bin/sh\nprintf '%s %s\\n' "$1" "$(pwd -P)" >> "$PROBES"\n`, {
    mode: 0o755,
  });
  process.env['HOME'] = join(base, 'home');
  makeTree();
});
afterAll(() => {
  process.env['HOME'] = ownHome;
  rmSync(base, { recursive: true, force: true });
});

function makeTree(): void {
  for (const name of ['ws', 'out', 'home', 'links']) rmSync(join(base, name), { recursive: true, force: true });
  for (const folder of [
    'ws/a/b',
    'ws/c',
    'ws/b c/a',
    'ws/-d',
    'out/sub/c',
    'out/a',
    'home/h',
    'home/a',
    'links/a',
    'ws/~',
  ])
    mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(ws, 'f'), '');
  symlinkSync('a', join(ws, 'la'));
  symlinkSync('../out/sub', join(ws, 'lo'));
  symlinkSync('la', join(ws, 'll'));
  symlinkSync('nowhere', join(ws, 'dangling'));
  symlinkSync('../../out', join(ws, 'a/up'));
  symlinkSync('../ws', join(base, 'links/ws'));
}

const relative = `a|a/b|c|"b c"|-- -d|la|lo|ll|..|..|.|a/..|la/../c|lo/../a|lo/..|missing|missing/..|f|dangling|./a/|a/up
|a/up/../c|../c|../a|../sub|../..|"$x"|~|~/h|'~'|~/..|~/../out|b|up|h`;
const folders = [...relative.replaceAll('\n', '').split('|'), `${ws}/a`, `${base}/out/sub`, `${ws}/lo/c`];
const text = fc.constantFrom(...folders);
const changes = fc.constantFrom(
  `mkdir -p ${ws}/n`,
  `mkdir ${ws}/missing`,
  `ln -sfn ../out ${ws}/la`,
  `ln -sfn ${base}/home ${ws}/lo`,
  `ln -sfn a ${ws}/missing`,
  `ln -sfn ${base}/home ${base}/out/sub/c`,
  `rm -rf ${ws}/c`,
  `rm -f ${ws}/la`,
  `mv ${ws}/a ${ws}/old`,
  `mv ${ws}/c ${ws}/missing`,
  `mv ${base}/out ${base}/ws/out2`,
  `cp -r ${ws}/a ${ws}/missing`,
);

/** A piece of a line; `_` is replaced by the next probe. */
const simple = fc.oneof(
  { weight: 12, arbitrary: text.map((folder) => `cd ${folder}`) },
  { weight: 12, arbitrary: fc.constant('_') },
  { weight: 1, arbitrary: text.map((folder) => `cd -P ${folder}`) },
  { weight: 1, arbitrary: text.map((folder) => `cd -L ${folder}`) },
  { weight: 1, arbitrary: text.map((folder) => `command cd ${folder}`) },
  { weight: 1, arbitrary: text.map((folder) => `builtin cd ${folder}`) },
  { weight: 1, arbitrary: text.map((folder) => `env -C ${folder.replace('-- ', './')} _`) },
  { weight: 4, arbitrary: text.map((folder) => `pushd ${folder}`) },
  { weight: 4, arbitrary: fc.constantFrom('cd -', 'popd', 'pushd', 'cd') },
  { weight: 5, arbitrary: fc.constantFrom('true', 'false', ':', 'x=1', '[[ a = a ]]', '((0))', 'exit 1', 'exit $?') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'return 1',
      'dirs -c',
      'set -e',
      'readonly PWD',
      'CDPATH=a',
      'HOME=/',
      'cd >/dev/full -',
    ),
  },
  { weight: 1, arbitrary: changes },
);

const { piece } = fc.letrec<{ piece: string; list: string }>((tie) => {
  const both = (join: (first: string, second: string) => string): fc.Arbitrary<string> =>
    fc.tuple(tie('piece'), tie('piece')).map(([first, second]) => join(first, second));
  const one = (wrap: (inner: string) => string): fc.Arbitrary<string> => tie('piece').map(wrap);
  return {
    list: tie('piece'),
    piece: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      { weight: 6, arbitrary: simple },
      { weight: 5, arbitrary: both((first, second) => `${first} && ${second}`) },
      { weight: 3, arbitrary: both((first, second) => `${first} || ${second}`) },
      { weight: 3, arbitrary: both((first, second) => `{ ${first}; ${second}; }`) },
      { weight: 1, arbitrary: both((first, second) => `{ ${first}\n${second}\n} >/dev/null`) },
      { weight: 1, arbitrary: one((inner) => `{ ${inner}; } > missing/out`) },
      { weight: 1, arbitrary: one((inner) => `! { ${inner}; }`) },
      { weight: 2, arbitrary: one((inner) => `(${inner})`) },
      { weight: 1, arbitrary: both((first, second) => `{ ${first}; } | { ${second}; }`) },
      { weight: 1, arbitrary: one((inner) => `{ { ${inner}; } & wait; }`) },
      { weight: 2, arbitrary: both((first, second) => `if ${first}; then ${second}; fi`) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(tie('piece'), tie('piece'), tie('piece'))
          .map(([first, second, third]) => `if ${first}; then ${second}; else ${third}; fi`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            tie('piece'),
            tie('piece'),
            tie('piece'),
            fc.constantFrom(';;', ';&', ';;&'),
            fc.constantFrom('1', '2', '3'),
          )
          .map(
            ([first, second, third, end, word]) =>
              `case ${word} in 1) ${first} ${end} 2) ${second} ${end} *) ${third} ;; esac`,
          ),
      },
      { weight: 1, arbitrary: one((inner) => `for i in 1 2; do ${inner}; done`) },
      { weight: 1, arbitrary: one((inner) => `until ${inner}; do break; done`) },
      { weight: 1, arbitrary: one((inner) => `x=$(${inner})`) },
      { weight: 1, arbitrary: one((inner) => `/bin/cat <(${inner})`) },
      { weight: 1, arbitrary: one((inner) => `{ f() { ${inner}; }; f; }`) },
      { weight: 1, arbitrary: one((inner) => (inner.includes("'") ? inner : `eval '${inner}'`)) },
      { weight: 1, arbitrary: one((inner) => (inner.includes("'") ? inner : `bash -c '${inner}'`)) },
      { weight: 1, arbitrary: one((inner) => (inner.includes("'") ? inner : `trap '${inner}' EXIT`)) },
      { weight: 1, arbitrary: one((inner) => `time { ${inner}; }`) },
    ),
  };
});

const lines = fc.array(piece, { minLength: 1, maxLength: 4 }).chain((pieces) =>
  fc.constantFrom('; ', ' && ', '\n').map((between) => {
    let probes = 0;
    return `${pieces.join(between)}${between}_`.replaceAll('_', () => `cat probe-${(probes += 1)}`);
  }),
);

/** Where bash really was, by probe. */
function visited(line: string, start: string): readonly (readonly [probe: string, folder: string])[] {
  // A background process of one line must not write into the log of the next.
  count += 1;
  const log = join(base, `probes-${count}`);
  const env = { PATH: `${join(base, 'tools')}:/usr/bin:/bin`, HOME: join(base, 'home'), PWD: start, PROBES: log };
  spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', '--', line], {
    cwd: start,
    env,
    timeout: 10_000,
    stdio: 'ignore',
  });
  if (!existsSync(log)) return [];
  const found = readFileSync(log, 'utf8').trim().split('\n');
  return found.map((entry) => [entry.slice(0, entry.indexOf(' ')), entry.slice(entry.indexOf(' ') + 1)] as const);
}

/** The possible folders according to the facts. Undefined: not known. */
function possible(line: string, start: string): (probe: string) => readonly string[] | undefined {
  const found = filesOfLine(line, start);
  const known = new Map(
    found.files.map(({ label, locations }) => {
      const paths = locations.map(({ checked }) => checked && dirname(checked.path));
      return [label, paths.length === 0 || paths.includes(undefined) ? undefined : (paths as string[])] as const;
    }),
  );
  return (probe) => (found.unknown === undefined ? known.get(JSON.stringify(probe)) : undefined);
}

it(
  proves('X08')('finds every folder in which bash runs a command'),
  () => {
    const seen = { known: 0, single: 0, all: 0 };
    fc.assert(
      fc.property(lines, fc.boolean(), (line, isSpelled) => {
        const start = isSpelled ? spelled : ws;
        const folderOf = possible(line, start);
        const real = visited(line, start);
        if (/\b(?:mkdir|ln|rm|mv|cp) /.test(line)) makeTree();
        for (const [probe, folder] of real) {
          const told = folderOf(probe);
          seen.all += 1;
          if (told === undefined) continue;
          seen.known += 1;
          if (told.length === 1) seen.single += 1;
          expect(told, `${probe} in: ${line}`).toContain(folder);
        }
      }),
      { numRuns: runs(300) },
    );
    // Not everything may be unknown.
    expect(seen.known / seen.all).toBeGreaterThan(0.25);
    expect(seen.single / seen.all).toBeGreaterThan(0.15);
  },
  runs(120) * 1000,
);
