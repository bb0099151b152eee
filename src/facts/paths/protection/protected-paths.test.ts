import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { ProtectedPaths } from './protected-paths.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'guarded-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

it(proves('D11')('a folder whose links lead back into it is searched quickly'), () => {
  const folder = join(base, 'kept');
  mkdirSync(join(folder, 'deep/deeper'), { recursive: true });
  for (const at of ['one', 'two', 'deep/three', 'deep/deeper/four']) symlinkSync(folder, join(folder, at));
  mkdirSync(join(base, 'elsewhere'));
  writeFileSync(join(base, 'elsewhere/behind.txt'), '');
  symlinkSync('../../elsewhere', join(folder, 'deep/away'));
  const guard = new ProtectedPaths([{ path: folder }]);
  const started = performance.now();
  for (const ends of ['four', '/deeper', 'behind.txt', '.txt']) expect(guard.mayEndWith(ends), ends).toBe(true);
  expect(guard.mayEndWith('.log')).toBe(false);
  expect(performance.now() - started).toBeLessThan(5000);
});

it(proves('D11')('an expendable file may be removed with its parent folder, but not written'), () => {
  const guard = new ProtectedPaths([{ path: '/nowhere/code/bridle/dist', expendable: true }]);
  const at = (path: string) => guard.relation({ text: path, checked: undefined });
  expect(at('/nowhere/code/bridle/dist/index.js')).toBe('at');
  expect(at('/nowhere/code/bridle/dist')).toBe('at');
  expect(at('/nowhere/code')).toBe('apart');
});
