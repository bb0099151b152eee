/** `npm run bench`: reads the arguments, prepares, runs each suite in a child process, reports. */

import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepare, say } from './prepare.mjs';
import { toMarkdown, toTable, withSections } from './report.mjs';
import { suites } from './suites.mjs';

const help = `npm run bench -- [suite ...] [options]

Suites (all if none is named):
${listSuites()}

Options:
  --quick   fewer and shorter rounds: about six minutes, rougher figures
  --json    one JSON line per case instead of tables
  --write   a full run, written to bench/RESULTS.md; with suites, only their sections are replaced
  --list    the suites
  --help    this text
`;

class UsageError extends Error {}

function listSuites() {
  return Object.entries(suites)
    .map(([name, { title }]) => `  ${name.padEnd(10)}${title}`)
    .join('\n');
}

function readArgs() {
  const options = Object.fromEntries(
    ['quick', 'json', 'write', 'list', 'help'].map((name) => [name, { type: 'boolean', default: false }]),
  );
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message, { cause: error });
  }
  const { values, positionals } = parsed;
  const unknown = positionals.find((name) => !Object.hasOwn(suites, name));
  if (unknown !== undefined) {
    throw new UsageError(`there is no suite "${unknown}"; there are ${Object.keys(suites).join(', ')}`);
  }
  if (values.write && values.quick) throw new UsageError('--write takes a full run, without --quick');
  return { ...values, names: positionals.length > 0 ? [...new Set(positionals)] : Object.keys(suites) };
}

/** The rows of one suite, as its child process sends them. */
function runSuite(name, pace, onRow) {
  const script = fileURLToPath(new URL('child.mjs', import.meta.url));
  const child = fork(script, [name, pace], { execArgv: suites[name].nodeFlags });
  child.on('message', onRow);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`suite ${name} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

async function main() {
  const args = readArgs();
  if (args.help) process.stdout.write(help);
  else if (args.list) process.stdout.write(`${listSuites()}\n`);
  else await bench(args);
}

async function bench({ quick, json, write, names }) {
  prepare();
  const rows = [];
  for (const name of names) {
    const own = [];
    await runSuite(name, quick ? 'quick' : 'full', (row) => {
      own.push(row);
      if (json) process.stdout.write(`${JSON.stringify(row)}\n`);
      else say(`${name}: ${row.case}`);
    });
    if (!json) process.stdout.write(`\n${toTable(name, own)}\n`);
    rows.push(...own);
  }
  if (!write) return;
  const file = new URL('RESULTS.md', import.meta.url);
  const isWhole = names.length === Object.keys(suites).length;
  writeFileSync(file, isWhole ? toMarkdown(rows) : withSections(readFileSync(file, 'utf8'), names, rows));
  say('wrote bench/RESULTS.md');
}

try {
  await main();
} catch (error) {
  say(`bench: ${error.message}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
