/**
 * `npm run api`: compares the public API of the build with docs/reference/api.txt and prints what differs.
 * `npm run api -- --write` writes the file.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { apiReport, toText } from './report.mjs';

const file = fileURLToPath(new URL('../../docs/reference/api.txt', import.meta.url));
const argv = process.argv.slice(2);

/** The declarations that differ, each below the title of its section; of a changed one, the lines that differ. */
function changes(before, now) {
  const [old, fresh] = [declarationsOf(before), declarationsOf(now)];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const [was = '', is = ''] = [old.get(key), fresh.get(key)];
    if (was === is) return [];
    return ['', key, ...linesMissing(was, is, '-'), ...linesMissing(is, was, '+')];
  });
}

function linesMissing(text, other, mark) {
  const known = new Set(other.split('\n'));
  return text.split('\n').flatMap((line) => (line === '' || known.has(line) ? [] : `${mark} ${line}`));
}

/** By section and first words: the text of each declaration. */
function declarationsOf(text) {
  const found = new Map();
  let section = '';
  for (const block of text.split(/\n\n+/)) {
    const [, title] = /^=+ (.*?):? ?\d* ?(?:names)?$/.exec(block) ?? [];
    if (title !== undefined) section = title;
    const key = `${section}: ${title === undefined ? (/^(?:\w+ )?[\w$]+/.exec(block)?.[0] ?? '') : 'number of names'}`;
    found.set(key, found.has(key) ? `${found.get(key)}\n${block}` : block);
  }
  return found;
}

const now = toText(apiReport());
if (argv.length > 0 && (argv.length > 1 || argv[0] !== '--write')) {
  process.stderr.write('npm run api [-- --write]\n');
  process.exitCode = 2;
} else if (argv[0] === '--write') {
  writeFileSync(file, now);
} else {
  const before = readFileSync(file, 'utf8');
  if (before === now) {
    process.stdout.write('The public API is as listed in docs/reference/api.txt.\n');
  } else {
    process.stdout.write(`The public API changed:\n${changes(before, now).join('\n')}\n\n`);
    process.stdout.write('If you want this change, run `npm run api -- --write` and describe it in CHANGELOG.md.\n');
    process.exitCode = 1;
  }
}
