/** `bridle tour` without a terminal: it plays by itself, as under `npm start </dev/null` and in CI. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { run } from '../rigs/child.ts';
import { read, root } from '../source.ts';
import { main } from './terminal-rig.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-tour-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Times, ids and the folder differ between runs. */
function stable(text: string): string {
  return text
    .replaceAll(/\/tmp\/bridle-\w{6}\b/g, '/tmp/bridle-XXXXXX')
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)(?!\w)/g, '… ms')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\bBridle \d+\.\d+\.\d+\S*/g, 'Bridle 0.0.0');
}

it(proves('D12')('plays all steps, ends with 0, and removes its folder'), async () => {
  const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: '/tmp' };
  const { code, stdout, output } = await run({ command: process.execPath, args: [main, 'tour'], cwd: folder, env });
  const [project = ''] = /\/tmp\/bridle-\w{6}/.exec(stdout) ?? [];
  if (process.env['SCREENS'] === 'write') writeFileSync(join(root, 'test/cli/tour.txt'), stable(stdout));
  expect(code, output).toBe(0);
  expect(stable(stdout), 'tour.txt (SCREENS=write rewrites it)').toBe(read('test/cli/tour.txt'));
  expect(output).toBe(stdout);
  expect(existsSync(project)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('removes its folder on %s', async (signal, code) => {
  const child = spawn(process.execPath, [main, 'tour'], { cwd: folder, env: { ...process.env, TMPDIR: folder } });
  await once(child.stdout, 'data');
  child.kill(signal);
  child.stdout.resume();
  expect((await once(child, 'exit'))[0]).toBe(code);
  expect(readdirSync(folder)).toEqual([]);
});

it('removes its folder if nobody reads on', async () => {
  const child = spawn(process.execPath, [main, 'tour'], { cwd: folder, env: { ...process.env, TMPDIR: folder } });
  child.stdout.destroy();
  expect((await once(child, 'exit'))[0]).toBe(141);
  expect(readdirSync(folder)).toEqual([]);
});
