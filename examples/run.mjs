/** Builds and runs one example: `npm run example own-loop`. Without a name, lists all. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const examples = new Map(
  readdirSync(import.meta.dirname)
    .filter((name) => existsSync(join(import.meta.dirname, name, 'main.ts')))
    .map((name) => [
      name,
      JSON.parse(readFileSync(join(import.meta.dirname, name, 'package.json'), 'utf8')).description,
    ]),
);

function list() {
  const width = Math.max(...Array.from(examples.keys(), (name) => name.length));
  return Array.from(examples, ([name, description]) => `  ${name.padEnd(width)}  ${description}`).join('\n');
}

/** Runs a Node program in this terminal and returns its exit code. */
function node(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined) {
  console.log(`Usage: npm run example <name>\n\n${list()}`);
} else if (examples.has(name)) {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  process.exitCode =
    node(join(typescript, 'bin/tsc'), '-b', 'tsconfig.examples.json') ||
    node(join('build/examples', name, 'main.js'), ...args);
} else {
  console.error(`There is no example "${name}". These exist:\n\n${list()}`);
  process.exitCode = 2;
}
