/** Names that change when decoded, and paths with many missing names. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { resolvePath } from './resolve-path.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'names-')));
const bytes = (name: string): Buffer => Buffer.concat([Buffer.from(`${base}/`), Buffer.from(name, 'latin1')]);

beforeAll(() => {
  mkdirSync(join(base, 'a/b/c'), { recursive: true });
  symlinkSync('a/b', join(base, 'link'));
  // Decoded as UTF-8, the file and the link to it have the same name.
  writeFileSync(bytes('\xff'), 'x');
  symlinkSync(Buffer.from([0xff]), join(base, '\uFFFD'));
  writeFileSync(join(base, 'a/\uFFFD'), 'x');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const reasonOf = (path: string): string => {
  const resolution = resolvePath(path, { cwd: base });
  return resolution.type === 'refused' ? resolution.reason : resolution.checked.path;
};

describe('names', () => {
  it(proves('W02')('that only look equal are different'), () => {
    expect(reasonOf('\uFFFD')).toBe('leads through a link that does not name its target');
    expect(reasonOf('a/\uFFFD')).toBe(join(base, 'a/\uFFFD'));
  });

  it.each([0, 1, 2, 3, 7, 8, 100, 1000])(
    proves('W02')('that are missing do not change the ancestor: %i more'),
    (more) => {
      const rest = 'x/'.repeat(more);
      for (const folder of ['a/b/c', 'a/b', 'a', 'link', 'link/c', '.']) {
        const resolution = resolvePath(`${folder}/${rest}new`, { cwd: base });
        const real = realpathSync(join(base, folder));
        expect(resolution).toMatchObject({
          type: 'resolved',
          checked: { path: join(real, rest, 'new'), identity: undefined, ancestor: { path: real } },
        });
      }
    },
  );
});
