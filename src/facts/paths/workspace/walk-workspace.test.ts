import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { confineTo } from './confine-to.ts';
import { walkWorkspace, type WalkEntry, type WalkOptions } from './walk-workspace.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'walk-')));
const ws = join(base, 'ws');
const confinement = confineTo([ws]);

beforeAll(() => {
  for (const folder of ['ws/src/deep', 'ws/lib', 'ws/empty', 'out/deep'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['ws/a', 'ws/src/b', 'ws/src/deep/c', 'ws/lib/d', 'out/secret', 'out/deep/secret'])
    writeFileSync(join(base, file), '');
  symlinkSync('../out', join(ws, 'far'));
  symlinkSync('../out/secret', join(ws, 'leak'));
  symlinkSync('../out/deep', join(ws, 'src/far'));
  symlinkSync('..', join(ws, 'up'));
  symlinkSync('.', join(ws, 'self'));
  symlinkSync('../..', join(ws, 'src/deep/loop'));
  symlinkSync('../lib', join(ws, 'src/lib'));
  symlinkSync('../a', join(ws, 'src/file-link'));
  symlinkSync('nowhere', join(ws, 'dangling'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function walk(root: string, options?: WalkOptions): Promise<WalkEntry[]> {
  const entries: WalkEntry[] = [];
  for await (const entry of walkWorkspace(root, confinement, options)) entries.push(entry);
  return entries;
}

describe('walkWorkspace', () => {
  it(proves('W08')('yields everything inside once and follows no link out'), async () => {
    const entries = await walk(ws);
    expect(entries.map(({ name, type }) => `${type} ${name}`)).toEqual([
      'file a',
      'refused dangling',
      'folder empty',
      'refused far',
      'refused leak',
      'folder lib',
      'folder self',
      'folder src',
      'refused up',
      'file lib/d',
      'file src/b',
      'folder src/deep',
      'refused src/far',
      'file src/file-link',
      'folder src/lib',
      'file src/deep/c',
      'folder src/deep/loop',
    ]);
    for (const { path, type, reason } of entries) {
      if (type === 'refused') expect(reason).toMatch(/\w/);
      else expect(path.startsWith(ws)).toBe(true);
    }
    expect(entries.some(({ name }) => name.includes('secret'))).toBe(false);
  });

  it(proves('W08')('follows a link that leads to something inside'), async () => {
    const entries = await walk(join(ws, 'src'));
    expect(entries.find(({ name }) => name === 'lib/d')?.path).toBe(join(ws, 'lib/d'));
    expect(entries.find(({ name }) => name === 'file-link')).toMatchObject({ type: 'file', path: join(ws, 'a') });
  });

  it(proves('W08')('goes no deeper than requested'), async () => {
    expect((await walk(ws, { depth: 1 })).filter(({ name }) => name.includes('/'))).toEqual([]);
    expect((await walk(ws, { depth: 2 })).map(({ name }) => name)).toContain('src/b');
  });

  it.each(['out', '.', 'ws/far', 'ws/up', 'ws/dangling', 'ws/a', 'ws/missing'])(
    proves('W08')('refuses to start at %s'),
    async (root) => {
      await expect(walk(join(base, root))).rejects.toThrow(expect.objectContaining({ name: 'BridleError' }));
    },
  );

  it(proves('W08', 'W06')('does not enter a folder that became a link during the walk'), async () => {
    const start = join(ws, 'empty');
    mkdirSync(join(start, 'one'));
    mkdirSync(join(start, 'two'));
    const seen: WalkEntry[] = [];
    for await (const entry of walkWorkspace(start, confinement)) {
      seen.push(entry);
      if (entry.name !== 'two') continue;
      renameSync(join(start, 'one'), join(start, 'old'));
      symlinkSync('../../out', join(start, 'one'));
    }
    expect(seen.map(({ name, type }) => `${type} ${name}`)).toEqual(['folder one', 'folder two', 'refused one']);
  });

  it(proves('W08', 'W06')('refuses a checked root that is now another folder'), async () => {
    const start = join(ws, 'swapped');
    mkdirSync(start);
    const check = confinement.check(start);
    renameSync(start, join(ws, 'swapped-old'));
    mkdirSync(start);
    const { checked } = check;
    await expect(checked === undefined ? undefined : walkWorkspace(checked, confinement).next()).rejects.toThrow(
      expect.objectContaining({ code: 'PATH_CHANGED' }),
    );
  });
});
