/** `bridle check` with very many calls. */

import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { main, PolicyFolder, samplePolicy } from './policy-rig.ts';

const folder = new PolicyFolder(samplePolicy);
afterAll(() => folder.remove());

describe('very many calls', () => {
  it(proves('D08')('are answered in constant memory'), { timeout: 120_000 }, async () => {
    const count = 200_000;
    const tool = JSON.stringify({ tool: 'run_command', args: { command_line: 'ls' } });
    const file = folder.write('many.jsonl', `${tool}\n`.repeat(count));
    // Not what the system tells as the most of the process: before it became this program it was a copy of the tests.
    const meter = `import { existsSync, readFileSync } from 'node:fs';
      const own = '/proc/self/status';
      const most = () => existsSync(own) ? /VmHWM:\\s+(\\d+)/.exec(readFileSync(own, 'utf8'))[1] : process.resourceUsage().maxRSS;
      process.on('exit', () => process.stderr.write('rss ' + most()));`;
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(meter)}`];
    const child = spawn(process.execPath, [...flags, main, 'check', '--policy', 'bridle.yaml', '-'], {
      cwd: folder.path,
      env: folder.env,
    });
    createReadStream(file).pipe(child.stdin);
    let [answers, stderr] = [0, ''];
    child.stdout.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) answers++;
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    expect(answers).toBe(count);
    const [, kilobytes] = /rss (\d+)/.exec(stderr) ?? [];
    // The input alone has 13 MB, and its answers as many.
    expect(Number(kilobytes)).toBeLessThan(220 * 1024);
  });
});
