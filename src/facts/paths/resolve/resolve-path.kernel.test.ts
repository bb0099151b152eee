/** Resolves random paths through a tree full of links: the result must be what the kernel opens. */

import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { confineTo, type PathCheck } from '../workspace/confine-to.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'kernel-')));
const ws = join(base, 'ws');
const home = join(base, 'home');

const folders = [
  'ws/a/b/c',
  'ws/sp ace/ünï',
  'ws/new\nline',
  'ws/..x',
  'ws/...',
  'ws/back\\slash',
  'ws/q?#%41',
  'ws/~',
  'ws/-',
  'ws-evil/a',
  'out/a/b',
  'home/a',
  'WS',
];
const files = [
  'ws/file',
  'ws/a/file',
  'ws/a/b/c/file',
  'ws-evil/file',
  'out/file',
  'out/a/file',
  'home/file',
  'ws/sp ace/ünï/file',
];
const links: readonly (readonly [string, string])[] = [
  ['ws/rel', 'a'],
  ['ws/abs', join(ws, 'a/b')],
  ['ws/chain', 'rel'],
  ['ws/chain2', './chain/../chain/b'],
  ['ws/loop', 'loop2'],
  ['ws/loop2', 'a/../loop'],
  ['ws/self', 'self'],
  ['ws/inself', 'inself/a'],
  ['ws/dangling', 'nowhere'],
  ['ws/danglingout', '../out/nowhere'],
  ['ws/throughfile', 'file/x'],
  ['ws/up', '..'],
  ['ws/a/up', '..'],
  ['ws/a/upup', '../..'],
  ['ws/top', '/'],
  ['ws/out', '../out'],
  ['ws/evil', '../ws-evil'],
  ['ws/outfile', '../out/file'],
  ['ws/link', 'file'],
  ['ws/trail', 'a/'],
  ['ws/filetrail', 'file/'],
  ['ws/here', '.'],
  ['ws/a/b/out', join(base, 'out/a')],
  ['ws/round', '../out/in/a'],
  ['ws/proc', `/proc/self/root${ws}/a`],
  ['ws/sp ace/back', '../a/b'],
  ['ws/new\nline/l', '../rel/b/../..'],
  ['out/in', '../ws'],
  ['home/in', '../ws/a'],
  ['home/ws', ws],
  ['ws/hop0', 'a'],
  ...Array.from({ length: 45 }, (_, index): [string, string] => [`ws/hop${index + 1}`, `hop${index}`]),
];

for (const folder of folders) mkdirSync(join(base, folder), { recursive: true });
for (const file of files) writeFileSync(join(base, file), '');
for (const [name, target] of links) symlinkSync(target, join(base, name));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Opens the path; on Linux, /proc returns the real path of an open file. */
function kernelPath(path: string): string | { readonly code: unknown } {
  try {
    if (process.platform !== 'linux') return realpathSync.native(path);
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readlinkSync(`/proc/self/fd/${file}`);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { code: (error as { code?: unknown }).code };
  }
}

/** The expected path, or undefined if it must be refused. Written for clarity, not speed. */
function expectedPath(path: string): { readonly path: string; readonly existing: string } | undefined {
  const whole = kernelPath(path);
  if (typeof whole === 'string') return { path: whole, existing: whole };
  if (whole.code !== 'ENOENT') return undefined;
  const names = path.split('/');
  for (let count = names.length - 1; count > 0; count--) {
    const existing = kernelPath(names.slice(0, count).join('/') || '/');
    if (typeof existing !== 'string') continue;
    const missing = names.slice(count);
    if (missing.includes('..') || isThere(join(existing, missing[0] ?? ''))) return undefined;
    return { path: join(existing, ...missing), existing };
  }
  return undefined;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isInside(path: string): boolean {
  return path === ws || path.startsWith(`${ws}/`);
}

const names = [...new Set([...folders, ...files, ...links.map(([name]) => name)].flatMap((path) => path.split('/')))];
const hops = names.filter((name) => name.startsWith('hop'));
/** Under load, some kernels report ELOOP for long chains of links that they follow a moment later. */
const fewHops = hops.slice(0, 12);
/** Names that exist in many folders or lead back to them, so that long random paths often exist. */
const ways = ['a', 'b', 'c', 'up', 'here', 'rel', 'abs', 'trail', 'out', 'in', 'ws', 'proc', 'sp ace', 'file'];
const name = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...ways) },
  { weight: 4, arbitrary: fc.constantFrom(...names.filter((name) => !name.startsWith('hop'))) },
  { weight: 1, arbitrary: fc.constantFrom(...fewHops) },
  { weight: 10, arbitrary: fc.constant('..') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '.',
      '',
      'missing',
      'etc',
      'proc',
      'self',
      'cwd',
      '..%2f',
      '%2e%2e',
      '．．',
      '.. ',
      '.',
      'WS',
      'Ws',
      'x'.repeat(255),
    ),
  },
);
const tail = fc.constantFrom('', '', '', '/', '/.', '/..', '//');
const steps = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 6 }), tail)
  .map(([parts, end]) => parts.join('/') + end);
const confinements = new Map(
  [ws, join(ws, 'a'), join(ws, 'out'), base, join(base, 'out/in')].map((cwd) => [cwd, confineTo([ws], { cwd, home })]),
);
const cwds = fc.constantFrom(ws, ...confinements.keys());

/** A text to check and the absolute path it means. */
interface Sample {
  readonly given: string;
  readonly absolute: string;
  readonly cwd: string;
}
const starts = fc.constantFrom('', '', '', `${ws}/`, `${base}/`, `//${base}//ws/./`, '/', '~/');
const plain = fc.tuple(starts, steps, cwds).map(([start, rest, cwd]): Sample => {
  const given = start + rest;
  if (given === '~' || given.startsWith('~/')) return { given, absolute: home + given.slice(1), cwd };
  return { given, absolute: given.startsWith('/') ? given : `${cwd}/${given}`, cwd };
});
const urls = fc.tuple(fc.constantFrom(ws, base), steps, cwds).map(([start, rest, cwd]): Sample => {
  const absolute = `${start}/${rest}`;
  const given = `file://${absolute.split('/').map(encodeURIComponent).join('/')}`;
  return { given, absolute, cwd };
});

interface Verdict {
  readonly type: PathCheck['type'];
  readonly path: string | undefined;
}

function expectedVerdict(sample: Sample): Verdict {
  const expected = sample.given === '' ? undefined : expectedPath(sample.absolute);
  if (expected === undefined) return { type: 'refused', path: undefined };
  return { type: isInside(expected.existing) ? 'inside' : 'outside', path: expected.path };
}

function agrees(sample: Sample, found: Verdict): boolean {
  const expected = expectedVerdict(sample);
  const hasTwoReadings = sample.given.startsWith('file:') && sample.absolute.split('/').includes('..');
  return (found.type === expected.type && found.path === expected.path) || (hasTwoReadings && found.type === 'refused');
}

describe('compared with the kernel', () => {
  it(
    proves('W02', 'W03', 'W04')('resolves 50,000 random paths like the kernel, and checks them accordingly'),
    () => {
      const seen = { inside: 0, outside: 0, refused: 0 };
      const sample = fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: urls });
      fc.assert(
        fc.property(sample, (sample) => {
          const check = confinements.get(sample.cwd)?.check(sample.given) ?? { type: 'refused', reason: '' };
          const found = { type: check.type, path: check.checked?.path };
          if (!agrees(sample, found)) expect(found).toEqual(expectedVerdict(sample));
          if (check.type !== 'inside' && check.reason === '') expect.fail('no reason');
          seen[check.type] += 1;
        }),
        { numRuns: runs(50_000) },
      );
      const total = seen.inside + seen.outside + seen.refused;
      for (const count of Object.values(seen)) expect(count / total).toBeGreaterThan(0.1);
    },
    300_000,
  );

  it(proves('W02')('allows as many links in a row as the kernel does'), () => {
    const { check } = confineTo([ws]);
    for (const hop of hops) {
      const path = join(ws, hop);
      const tries = Array.from({ length: 20 }, () => [check(path).type, typeof kernelPath(path)]);
      const isFollowed = tries.some(([, found]) => found === 'string');
      expect(tries.some(([type]) => type === 'inside')).toBe(isFollowed);
    }
  });

  it(proves('W04')('parses file URLs as Node writes them'), () => {
    const { check } = confineTo([ws]);
    for (const file of files.filter((path) => path.startsWith('ws/'))) {
      expect(check(pathToFileURL(join(base, file)).href).checked?.path).toBe(join(base, file));
    }
  });
});
