import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { GuardedPlaces } from './guarded-places.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'guarded-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

it(proves('D11')('a folder whose links lead back into it is looked through in no time'), () => {
  const folder = join(base, 'kept');
  mkdirSync(join(folder, 'deep/deeper'), { recursive: true });
  for (const at of ['one', 'two', 'deep/three', 'deep/deeper/four']) symlinkSync(folder, join(folder, at));
  mkdirSync(join(base, 'elsewhere'));
  writeFileSync(join(base, 'elsewhere/behind.txt'), '');
  symlinkSync('../../elsewhere', join(folder, 'deep/away'));
  const guard = new GuardedPlaces([folder]);
  const started = performance.now();
  for (const ends of ['four', '/deeper', 'behind.txt', '.txt']) expect(guard.couldEnd(ends), ends).toBe(true);
  expect(guard.couldEnd('.log')).toBe(false);
  expect(performance.now() - started).toBeLessThan(5000);
});
