/** `bridle/terminal` in a program of a user, in a pseudo-terminal and without one. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { root } from '../source.ts';
import { keys, noTerminals, Terminal } from './terminal-rig.ts';

const program = join(root, 'test/cli/own-program.mjs');

describe.skipIf(noTerminals !== undefined)('openTerminal', () => {
  it('asks the person, and an approved call runs', async () => {
    const terminal = new Terminal({ cwd: tmpdir(), args: [], program });
    expect(await terminal.see('Approve this call?')).toContain('production');
    terminal.press(keys.down, keys.enter);
    await terminal.see('result: ok: deployed');
    expect(await terminal.ended).toBe(0);
  });

  it('denies if the person only presses Enter', async () => {
    const terminal = new Terminal({ cwd: tmpdir(), args: [], program });
    await terminal.see('Approve this call?');
    terminal.press(keys.enter);
    await terminal.see('result: denied');
    expect(await terminal.ended).toBe(0);
  });

  it('lets Ctrl-C end the program, and nothing runs', async () => {
    const terminal = new Terminal({ cwd: tmpdir(), args: [], program });
    await terminal.see('Approve this call?');
    terminal.press(keys.ctrlC);
    expect(await terminal.ended).not.toBe(0);
    expect(terminal.text).not.toContain('deployed');
  });
});

describe('openTerminal without a terminal', () => {
  it('denies, and says why', () => {
    const text = execFileSync(process.execPath, [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    expect(text).toContain('result: denied');
    expect(text).toContain('there is no interactive terminal to ask.');
  });
});
