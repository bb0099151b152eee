/** The session that the README shows: `bridle chat` runs in a terminal, and its screen becomes a picture. */

import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ScreenSession, type StyledText } from '../cli/screens/screen-rig.ts';
import { blocksIn } from '../doc-programs.ts';
import { read } from '../source.ts';
import { terminalPicture } from './terminal-picture.ts';

const columns = 90;
const patienceMs = 15_000;
const quietMs = 2000;

/** The policy of the README, so that a reader can do what the picture shows. */
function policyOf(readme: string): string {
  const policy = blocksIn('README.md', readme, ['yaml']).find((block) => block.flags.includes('file=bridle.yaml'));
  if (policy === undefined) throw new Error('README.md has no bridle.yaml');
  return policy.text;
}

const files = {
  'bridle.yaml': policyOf(read('README.md')),
  'greet.js': `export function greet(name) {
  return 'Helo ' + name;
}
`,
};

/** A denied command, an allowed read, and a question with a diff that waits for an answer. */
const requests = ['delete the folder dist', 'read greet.js, then replace "Helo" with "Hello" in greet.js'] as const;

/**
 * Runs the session, and returns its picture as soon as it is the expected one. If it never is, or if nothing is
 * expected, returns the picture of the screen when nothing has changed for a while.
 */
export async function drawChat(expected: string | undefined): Promise<string> {
  const session = new ScreenSession({ args: ['chat', '--policy', 'bridle.yaml'], files, columns, rows: 44 });
  try {
    for (const request of requests) await session.terminal.say(request);
    await session.until('Approve this call?');
    const until = Date.now() + patienceMs;
    for (let drawn = ''; ;) {
      const rows = stableRows(await session.styledRows(), dirname(session.project));
      const before = drawn;
      drawn = terminalPicture({ title, bar: 'bridle chat', columns, rows });
      if (drawn === expected || (drawn === before && expected === undefined) || Date.now() > until) return drawn;
      await delay(expected === undefined ? quietMs : 50);
    }
  } finally {
    await session.close();
  }
}

const title =
  'A session of bridle chat. A request to delete a folder is denied: Move it to the trash instead. ' +
  'Then a file is read, and a question shows the change of the file as a diff and waits for an answer.';

/** The rows from the first request on, with the same times and folders in every run. */
function stableRows(rows: readonly (readonly StyledText[])[], home: string): readonly (readonly StyledText[])[] {
  const first = rows.findIndex((row) => textOf(row).startsWith('> '));
  const last = rows.findLastIndex((row) => textOf(row) !== '');
  return rows.slice(first, last + 1).map((row) =>
    row.map((run) => ({
      ...run,
      text: run.text.replaceAll(home, '~').replaceAll(/\b\d+(\.\d+)? ms\b/g, '4 ms'),
    })),
  );
}

function textOf(row: readonly StyledText[]): string {
  return row
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}
