/** `npm run bench`: reads the arguments, prepares, runs each suite in a child process, reports. */

import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { blaming } from './measure.mjs';
import { prepare, say } from './prepare.mjs';
import { toMarkdown, toTable, withSections } from './report.mjs';
import { smoke } from './smoke.mjs';
import { suites } from './suites.mjs';

const help = `npm run bench -- [suite ...] [options]

Suites (all if none is named):
${listSuites()}

Options:
  --quick   fewer and shorter rounds: about six minutes, rougher figures
  --json    one JSON line per case instead of tables
  --smoke   a few rounds: fails with the name of each contestant that does not answer or is wrong, and reports no figure
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
    ['quick', 'smoke', 'json', 'write', 'list', 'help'].map((name) => [name, { type: 'boolean', default: false }]),
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
  const figures = ['quick', 'json', 'write'].find((name) => values[name]);
  if (values.smoke && figures !== undefined)
    throw new UsageError(`--smoke reports no figures, so it takes no --${figures}`);
  return { ...values, names: positionals.length > 0 ? [...new Set(positionals)] : Object.keys(suites) };
}

/** Gives each row of a suite to `onRow`, as its child process sends them. */
function runSuite(name, pace, { onRow, limitMs }) {
  const script = fileURLToPath(new URL('child.mjs', import.meta.url));
  const child = fork(script, [name, pace], { execArgv: suites[name].nodeFlags, timeout: limitMs });
  let cause;
  child.on('message', ({ row, failure }) => {
    if (failure === undefined) onRow(row);
    else cause = failure;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // After its messages: `close` comes when all channels are closed.
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(cause ?? `it ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

async function main() {
  const args = readArgs();
  if (args.help) process.stdout.write(help);
  else if (args.list) process.stdout.write(`${listSuites()}\n`);
  else if (args.smoke) await runSmoke(args);
  else await bench(args);
}

async function runSmoke({ names }) {
  prepare();
  const faults = await smoke(names, runSuite);
  if (faults.length > 0) throw new Error(`a contestant does not answer, or is wrong:\n${faults.join('\n')}`);
}

async function bench({ quick, json, write, names }) {
  prepare();
  const rows = [];
  for (const name of names) {
    const own = [];
    const onRow = (row) => {
      own.push(row);
      if (json) process.stdout.write(`${JSON.stringify(row)}\n`);
      else say(`${name}: ${row.case}`);
    };
    await blaming(`suite ${name}`, () => runSuite(name, quick ? 'quick' : 'full', { onRow }));
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
