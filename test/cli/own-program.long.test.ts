/** `bridle/terminal` in a program of a user, in a pseudo-terminal and without one. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { root } from '../source.ts';
import { keys, noTerminals, Terminal } from './terminal-rig.ts';

const program = join(root, 'test/cli/own-program.mjs');

describe.skipIf(noTerminals !== undefined)('openTerminal', () => {
  it('asks the person, and an approved call runs', async () => {
    const terminal = new Terminal({ cwd: tmpdir(), args: [], program });
    expect(await terminal.see('Approve this call?')).toContain('production');
    await terminal.see('Esc means no.');
    terminal.press(keys.home, keys.enter);
    await terminal.see('result: ok: deployed');
    expect(await terminal.ended).toBe(0);
  });

  it('denies if the person only presses Enter', async () => {
    const terminal = new Terminal({ cwd: tmpdir(), args: [], program });
    await terminal.see('Esc means no.');
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

describe.skipIf(noTerminals !== undefined)('interactiveLoop with an own agent', () => {
  const example = join(root, 'build/examples/terminal/main.js');

  it(proves('A26')('runs turns, asks the person, takes commands, and returns to the program'), async () => {
    const terminal = new Terminal({ cwd: mkdtempSync(join(tmpdir(), 'bridle-own-')), args: [], program: example });
    await terminal.see('> ');
    terminal.press('How is the weather in Oslo?', keys.enter);
    await terminal.see('Now ask me for the date.');
    await terminal.say('What is the date?');
    await terminal.see('Esc means no.');
    terminal.press('y');
    await terminal.see('Approve this call? Yes, once');
    await terminal.see('That was all I can do.');
    await terminal.say('/help');
    await terminal.see('/quit');
    await terminal.see('\n> ');
    terminal.press(keys.ctrlC);
    await terminal.see('Press Ctrl-C again');
    terminal.press(keys.ctrlD);
    await terminal.see('The chat has ended.');
    expect(await terminal.ended).toBe(0);
  });
});

describe('openTerminal without a terminal', () => {
  it('denies, and says why', () => {
    const text = execFileSync(process.execPath, [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    expect(text).toContain('result: denied');
    expect(text).toContain('there is no interactive terminal to ask.');
  });
});
