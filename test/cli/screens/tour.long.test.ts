/** The screens of `bridle tour`: a person chooses steps and answers questions. */

import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { proves } from '../../contract/cite.ts';
import { keys, noTerminals } from '../terminal-rig.ts';
import { type ScreenOptions, ScreenSession } from './screen-rig.ts';

const title = noTerminals === undefined ? 'the screens of bridle tour' : `no terminals here: ${noTerminals}`;
let session: ScreenSession | undefined;

function start(options: ScreenOptions = {}): ScreenSession {
  session = new ScreenSession({ args: ['tour'], env: { TMPDIR: '/tmp' }, ...options });
  return session;
}

async function choose({ terminal }: ScreenSession, line: string): Promise<void> {
  await terminal.see('\nEnter ');
  await terminal.see('quit > ');
  terminal.press(line, keys.enter);
}

async function answer({ terminal }: ScreenSession, key: string): Promise<void> {
  await terminal.see('Esc means no.');
  terminal.press(key);
}

/** Where the project was; it is gone when the tour has ended. */
function folderOf({ terminal }: ScreenSession): string {
  return /\/tmp\/bridle-\w{6}/.exec(terminal.text)?.[0] ?? '';
}

afterEach(async () => {
  await session?.close();
  session = undefined;
});

describe.skipIf(noTerminals !== undefined)(title, { timeout: 60_000 }, () => {
  it('offer the steps, play the next one at Enter, and say what the script understands', async () => {
    const tour = start();
    for (const [line, reply] of [
      ['', '✓ view_file'],
      ['delete everything', 'The tour only understands'],
      ['help', '  8  A real model'],
      ['9', 'The tour only understands'],
    ] as const) {
      await choose(tour, line);
      await tour.terminal.see(reply);
    }
    await tour.expectFixture('tour');
    tour.terminal.press(keys.ctrlD);
    expect(await tour.terminal.ended).toBe(0);
    expect(existsSync(folderOf(tour))).toBe(false);
  });

  it(proves('Q04')('ask about an edit with its diff, in 80 and in 40 columns'), async () => {
    for (const [columns, name] of [
      [80, 'tour-question'],
      [40, 'tour-question-40'],
    ] as const) {
      const tour = start({ columns, rows: 40 });
      await choose(tour, '3');
      await tour.terminal.see('Esc means');
      await tour.expectFixture(name);
      tour.terminal.press('n');
      await tour.until("greet.js is now: console.log('Helo, reader');");
      tour.terminal.press(keys.ctrlD);
      expect(await tour.terminal.ended).toBe(0);
      await tour.close();
    }
  });

  it(proves('R05')('refuse an approval that is presented twice, and ask again if there is none'), async () => {
    const tour = start({ columns: 160 });
    await choose(tour, '5');
    await answer(tour, 'y');
    await tour.terminal.see('has already been used');
    await choose(tour, '5');
    await answer(tour, 'n');
    await tour.terminal.see('there is no approval to use twice');
    await answer(tour, 'n');
    await choose(tour, 'quit');
    expect(await tour.terminal.ended).toBe(0);
    expect(existsSync(folderOf(tour))).toBe(false);
  });

  it('end at one Ctrl-C, at the prompt and at a question', async () => {
    const atPrompt = start();
    await atPrompt.terminal.see('help, quit > ');
    atPrompt.terminal.press(keys.ctrlC);
    expect(await atPrompt.terminal.ended).toBe(0);
    expect(existsSync(folderOf(atPrompt))).toBe(false);
    await atPrompt.close();
    const atQuestion = start();
    await choose(atQuestion, '3');
    await answer(atQuestion, keys.ctrlC);
    expect(await atQuestion.terminal.ended).toBe(0);
    await atQuestion.until('Denied edit_file');
    expect(existsSync(folderOf(atQuestion))).toBe(false);
  });
});
