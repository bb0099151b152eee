/**
 * `npm run walk -- chat|guard|check|approval`: the files that a call visits, and the hops between them. A hop is the
 * call of a function in another file than the function called before.
 */

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { instrument } from './instrument.mjs';
import { walks } from './walks.mjs';

const names = Object.keys(walks);
const help = `npm run walk -- [${names.join('|')}] [options]

Prints the files that a call visits, with the number of visits, and the hops between them. Without a name: all walks.
The exit code is 1 if a walk has more hops than it may.

Options:
  --order   print the visits in order
  --json    one line of JSON per walk
  --help    this text
`;

function readArgs() {
  const flag = { type: 'boolean', default: false };
  try {
    const options = { order: flag, json: flag, help: flag };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const unknown = positionals.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new RangeError(`there is no walk "${unknown}"; there are ${names.join(', ')}`);
    return { ...values, chosen: positionals.length > 0 ? positionals : names };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${help}`);
    return process.exit(2);
  }
}

async function walk(name, build) {
  const { run, most, facts } = walks[name];
  const parts = Object.entries(await run(build)).map(([title, all]) => {
    const visited = facts ? all : withoutFacts(all);
    return { title, hops: visited.length - 1, visited };
  });
  const files = new Set(parts.flatMap(({ visited }) => visited)).size;
  return { name, files, hops: parts.reduce((sum, { hops }) => sum + hops, 0), most, facts, parts };
}

function withoutFacts(visited) {
  return visited.filter((file) => !file.startsWith('facts/')).filter((file, index, all) => file !== all[index - 1]);
}

function toText({ name, files, hops, most, facts, parts }, inOrder) {
  const verdict = hops > most ? `too many: at most ${most} hops` : `at most ${most} hops`;
  const lines = [`${name}: ${hops} hops between ${files} files${facts ? '' : ', without facts/'} (${verdict})`];
  for (const { title, hops, visited } of parts) {
    lines.push(
      '',
      `  ${title}: ${hops} hops`,
      ...(inOrder ? visited : countVisits(visited)).map((line) => `    ${line}`),
    );
  }
  return `${lines.join('\n')}\n`;
}

function countVisits(visited) {
  const counts = new Map();
  for (const file of visited) counts.set(file, (counts.get(file) ?? 0) + 1);
  return Array.from(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([file, count]) => `${String(count).padStart(4)}  ${file}`);
}

const { order, json, help: wantsHelp, chosen } = readArgs();
if (wantsHelp) {
  process.stdout.write(help);
} else {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const copy = join(root, 'build/walk');
  const build = join(copy, 'dist');
  instrument(join(root, 'dist'), build);
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  for (const name of chosen) {
    const result = await walk(name, build);
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : toText(result, order));
    if (result.hops > result.most) process.exitCode = 1;
  }
}
