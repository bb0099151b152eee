/** What the README shows: `bridle tour` runs in a terminal, and its screen becomes a picture. */

import { setTimeout as delay } from 'node:timers/promises';
import { ScreenSession, type StyledText } from '../cli/screens/screen-rig.ts';
import { keys } from '../cli/terminal-rig.ts';
import { terminalPicture } from './terminal-picture.ts';

const columns = 90;
const patienceMs = 15_000;
const quietMs = 2000;

/** Denied calls, and a question with a diff that waits for an answer. */
const steps = [
  ['2', 'The folder dist is still there.'],
  ['3', 'Approve this call?'],
] as const;

/**
 * Runs the tour, and returns its picture as soon as it is the expected one. If it never is, or if nothing is expected,
 * returns the picture of the screen when nothing has changed for a while.
 */
export async function drawTour(expected: string | undefined): Promise<string> {
  const session = new ScreenSession({ args: ['tour'], env: { TMPDIR: '/tmp' }, columns, rows: 50 });
  try {
    for (const [step, reply] of steps) {
      await session.terminal.see('\nEnter ');
      await session.terminal.see('quit > ');
      session.terminal.press(step, keys.enter);
      await session.terminal.see(reply);
    }
    const until = Date.now() + patienceMs;
    for (let drawn = ''; ;) {
      const rows = stableRows(await session.styledRows());
      const before = drawn;
      drawn = terminalPicture({ title, bar: 'bridle tour', columns, rows });
      if (drawn === expected || (drawn === before && expected === undefined) || Date.now() > until) return drawn;
      await delay(expected === undefined ? quietMs : 50);
    }
  } finally {
    // A killed tour could not remove its folder.
    session.terminal.press(keys.ctrlC);
    await Promise.race([session.terminal.ended, delay(patienceMs, undefined, { ref: false })]);
    await session.close();
  }
}

const title =
  'Two steps of bridle tour. Six spellings of rm are denied by one rule: Move it to the trash. ' +
  'Then a question shows the change of a file as a diff and waits for an answer.';

/** The rows from the first step on, with the same times and folders in every run. */
function stableRows(rows: readonly (readonly StyledText[])[]): readonly (readonly StyledText[])[] {
  const first = rows.findIndex((row) => textOf(row).startsWith('2. '));
  const last = rows.findLastIndex((row) => textOf(row) !== '');
  return rows.slice(first, last + 1).map((row) =>
    row.map((run) => ({
      ...run,
      text: run.text.replaceAll(/\/bridle-\w{6}\b/g, '/bridle-x4Fq9Z').replaceAll(/\b\d+(\.\d+)? ms\b/g, '4 ms'),
    })),
  );
}

function textOf(row: readonly StyledText[]): string {
  return row
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}
