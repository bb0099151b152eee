/**
 * `npm run api`: compares the public API of the build with docs/reference/api.txt and prints what differs.
 * `npm run api -- --write` writes the file.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { apiReport, toText } from './report.mjs';

const file = fileURLToPath(new URL('../../docs/reference/api.txt', import.meta.url));
const argv = process.argv.slice(2);

/** Declarations of the first text that are not in the second, each below the title of its section. */
function missingFrom(text, other, mark) {
  const known = new Set(blocksOf(other));
  let title = '';
  return blocksOf(text).flatMap((block) => {
    if (block.startsWith('=')) title = block;
    if (known.has(block)) return [];
    return [...(block === title ? [] : [title]), block].map((each) => each.replaceAll(/^/gm, `${mark} `));
  });
}

function blocksOf(text) {
  return text.split(/\n\n+/);
}

const now = toText(apiReport());
if (argv.length > 0 && (argv.length > 1 || argv[0] !== '--write')) {
  process.stderr.write('npm run api [-- --write]\n');
  process.exitCode = 2;
} else if (argv[0] === '--write') {
  writeFileSync(file, now);
} else {
  const before = readFileSync(file, 'utf8');
  if (before !== now) {
    const changes = [...missingFrom(before, now, '-'), ...missingFrom(now, before, '+')];
    process.stdout.write(`The public API changed:\n\n${changes.join('\n')}\n\n`);
    process.stdout.write('If you want this change, run `npm run api -- --write` and describe it in CHANGELOG.md.\n');
    process.exitCode = 1;
  }
}
