import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { toolRig, type ToolRig } from '../../../test/rigs/tool-rig.ts';
import type { CheckedPath } from '../../kernel/call.ts';
import { resolvePath } from '../../facts/paths/resolve/resolve-path.ts';
import { runInFolder } from './checked-argument.ts';

let rig: ToolRig;
let checked: CheckedPath;
beforeEach(async () => {
  rig = await toolRig();
  mkdirSync(rig.path('dir'));
  const resolution = resolvePath(rig.path('dir'));
  if (resolution.type === 'resolved') ({ checked } = resolution);
});
afterEach(() => rig.remove());

const whereAt = (cwd: string): string => execFileSync('/bin/pwd', ['-P'], { cwd, encoding: 'utf8' }).trim();

describe('runInFolder', () => {
  it(proves('W06')('runs a process in the checked folder, even if a link replaces it'), async () => {
    const where = await runInFolder(checked, (cwd) => {
      renameSync(rig.path('dir'), rig.path('moved'));
      symlinkSync('/', rig.path('dir'));
      return Promise.resolve(whereAt(cwd));
    });
    expect(where).toBe(rig.path('moved'));
  });

  it(proves('W06')('refuses a folder that replaced the checked one'), async () => {
    renameSync(rig.path('dir'), rig.path('moved'));
    mkdirSync(rig.path('dir'));
    await expect(runInFolder(checked, (cwd) => Promise.resolve(whereAt(cwd)))).rejects.toMatchObject({
      code: 'PATH_CHANGED',
    });
  });
});
