/** A question on a screen that is resized, without colours, about a call with wide characters. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PromptModel, promptModel, promptModelName } from '../../rigs/prompt-model.ts';
import { proves } from '../../contract/cite.ts';
import { noTerminals } from '../terminal-rig.ts';
import { ScreenSession } from './screen-rig.ts';

const command = 'echo "日本語 and some more words" > notes.txt';
const narrowChoices = [
  'Approve this call?',
  '  y  Yes, once',
  '  a  Always, for this session (you see',
  '     first what that covers)',
  '  e  Edit the args, then run',
  '› n  No',
  '  N  No, with a reason (the model sees',
  '     it)',
  'Press a key, or ↑↓ and Enter. Esc means',
  'no.',
];
const wideChoices = [
  'Approve this call?',
  '  y  Yes, once',
  '  a  Always, for this session (you see first what that covers)',
  '  e  Edit the args, then run',
  '› n  No',
  '  N  No, with a reason (the model sees it)',
  'Press a key, or ↑↓ and Enter. Esc means no.',
];

let model: PromptModel;

beforeAll(async () => {
  model = await promptModel();
});
afterAll(() => model.close());

function start(columns: number): ScreenSession {
  const env = { NO_COLOR: '1', ...model.env };
  return new ScreenSession({ args: ['chat', '--model', promptModelName], columns, rows: 40, env });
}

/** The rows from the question on, and everything above it without white space and marks. */
async function split(session: ScreenSession): Promise<{ above: string; choices: readonly string[] }> {
  const rows = (await session.rows(true)).map((row) => row.trimEnd());
  const at = rows.indexOf('Approve this call?');
  const above = rows.slice(0, at).join('').replaceAll(/[\s│]/g, '');
  return { above, choices: rows.slice(at).filter((row) => row !== '') };
}

describe.skipIf(noTerminals !== undefined)('the screen of a question', { timeout: 60_000 }, () => {
  it(proves('Q04')('shows the whole call after each change of its size, and nothing is garbled'), async () => {
    const session = start(90);
    try {
      await session.terminal.say(`run \`${command}\``);
      for (const [columns, choices] of [
        [90, wideChoices],
        [40, narrowChoices],
        [90, wideChoices],
      ] as const) {
        session.resize(columns, 40);
        await expect.poll(async () => (await split(session)).choices, { timeout: 15_000 }).toEqual(choices);
        const { above } = await split(session);
        const wanted = command.replaceAll(/\s/g, '');
        const [, card = ''] = above.split(`>run\`${wanted}\``);
        expect(card).toContain(wanted);
        expect(above).not.toContain('Yes,once');
      }
    } finally {
      await session.close();
    }
  });

  it('keeps the words of a long answer whole, in 40 columns', async () => {
    const session = start(40);
    try {
      await session.terminal.say('run `echo hi`');
      await session.until('Esc means no.');
      session.terminal.press('a');
      await session.until('Run this without asking');
      const rows = (await session.rows(true)).map((row) => row.trimEnd());
      const at = rows.findIndex((row) => row.startsWith('Approve this call?'));
      expect(rows.slice(at, at + 2)).toEqual(['Approve this call? Always, for this', 'session']);
    } finally {
      await session.close();
    }
  });
});
