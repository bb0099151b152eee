/** The lines of tricky-lines.txt. */

import { readFileSync } from 'node:fs';

export const trickyLines: readonly string[] = readFileSync(new URL('tricky-lines.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.replaceAll('⏎', '\n'));
