/** A sample of the commands in this process: what they report about one policy. */

import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandTable } from '../../src/cli/command-table.ts';
import type { CommandReport } from '../../src/cli/command/command-row.ts';
import { proves } from '../contract/cite.ts';
import { PolicyFolder, samplePolicy } from './policy-rig.ts';

const folder = new PolicyFolder(samplePolicy);
afterAll(() => folder.remove());

interface Reported {
  readonly code: number;
  readonly data: unknown;
  readonly text: string;
}

async function report(name: string, positionals: readonly string[], options: object = {}): Promise<Reported> {
  const row = commandTable[name];
  if (row === undefined || !('load' in row)) throw new Error(`There is no command ${name}.`);
  const run = await row.load();
  const { stdin, stdout, stderr } = process;
  const result = await run({
    positionals,
    options: { policy: join(folder.path, 'bridle.yaml'), cwd: folder.path, ...options },
    streams: { stdin, stdout, stderr },
    env: folder.env,
    version: '0.0.0',
    hasDoubleDash: false,
  } as never);
  if (typeof result === 'number') throw new Error(`${name} has printed its output itself.`);
  const { code, data, lines }: CommandReport = result;
  return { code, data, text: lines((_style, text) => text).join('\n') };
}

describe('the reports of commands', () => {
  it(proves('D08', 'P12')('explain names the rule that decided, and its place'), async () => {
    const { code, text } = await report('explain', ['sudo', 'rm', '-rf', 'build'], {});
    expect(code).toBe(1);
    expect(text).toContain('decided by "no deleting" (bridle.yaml:10)');
    expect((await report('explain', ['ls'])).code).toBe(0);
    expect((await report('explain', ['ls; git push'])).code).toBe(3);
  });

  it(proves('D06')('test says which tests of the file pass'), async () => {
    expect(await report('test', [])).toMatchObject({ code: 0, text: expect.stringContaining('3') });
    const wrong = folder.write('wrong.yaml', samplePolicy.replace('expect: deny', 'expect: allow'));
    expect((await report('test', [], { policy: wrong })).code).toBe(1);
  });

  it(proves('D09')('diff lists the calls whose decision changes'), async () => {
    const open = folder.write('open.yaml', samplePolicy.replace('- deny: run_command', '- allow: run_command'));
    const { code, text } = await report('diff', [join(folder.path, 'bridle.yaml'), open]);
    expect(code).toBe(1);
    expect(text).toContain('after  allow by "no deleting" (open.yaml:10)');
  });
});
