/** Command lines from a text file: one a line, and further lines of a command behind a tab. */

import { readFileSync } from 'node:fs';

export function readLines(name) {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split(/\n(?!\t)/)
    .map((line) => line.replaceAll('\n\t', '\n'));
}
