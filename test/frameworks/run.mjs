/** `npm run test:frameworks`: runs the shared cases on the real frameworks, offline, and reports what holds. */

import { readdirSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cases } from './cases.mjs';
import { mutants } from './mutants.mjs';
import { runGuide } from './guides.mjs';
import { build, install, say } from './prepare.mjs';
import { runSuite } from './run-suite.mjs';
import { toTable, writePage } from './report.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));
const names = readdirSync(here)
  .filter((name) => existsSync(`${here}${name}/driver.mjs`))
  .toSorted();
const exit = { failed: 1, usage: 2 };
const help = `npm run test:frameworks -- [framework ...] [options]

Frameworks (all if none is named): ${names.join(', ')}

Options:
  --case <name>     only this case; may be repeated
  --mutant <name>   break the adapter on purpose; the run passes if a case fails: ${Object.keys(mutants).join(', ')}
  --write           a full run, written to docs/reference/frameworks.md
  --json            one JSON line per case
  --built           Bridle is built already
  --list            the cases
  --help            this text

Each framework is a package of its own, installed on first use in its folder in test/frameworks.
Exit codes: 0 all cases passed · ${exit.failed} a case failed, or no case noticed the mutant · ${exit.usage} wrong usage
`;

class UsageError extends Error {}

function readArgs() {
  const flag = { type: 'boolean', default: false };
  const options = {
    case: { type: 'string', multiple: true, default: [] },
    mutant: { type: 'string' },
    ...Object.fromEntries(['write', 'json', 'built', 'list', 'help'].map((name) => [name, flag])),
  };
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message, { cause: error });
  }
  const { values, positionals } = parsed;
  check('framework', positionals, names);
  check('case', values.case, Object.keys(cases));
  if (values.mutant !== undefined) check('mutant', [values.mutant], Object.keys(mutants));
  if (values.write && positionals.length + values.case.length > 0) throw new UsageError('--write takes a full run');
  return { ...values, frameworks: positionals.length === 0 ? names : positionals };
}

function check(kind, given, known) {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`there is no ${kind} "${unknown}"; there are ${known.join(', ')}`);
}

async function main() {
  const { frameworks, case: chosen, mutant, json, write, built, list, help: wantsHelp } = readArgs();
  if (wantsHelp) process.stdout.write(help);
  else if (list) process.stdout.write(`${Object.keys(cases).join('\n')}\n`);
  else await test({ frameworks, chosen, mutant, json, write, built });
}

async function test({ frameworks, chosen, mutant, json, write, built }) {
  if (!built) build();
  const results = [];
  for (const name of frameworks) {
    const node = install(name, mutant);
    say(`${name} …`);
    const suite = await runSuite(name, {
      node,
      chosen,
      onCase: (row) => json && console.log(JSON.stringify({ framework: name, ...row })),
    });
    if (chosen.length === 0 && mutant === undefined) suite.rows.push(...runGuide(name, node));
    results.push(suite);
    for (const { case: id, reason } of suite.rows.filter(({ result }) => result === 'failed'))
      say(`${name}: ${id} failed: ${reason}`);
  }
  if (!json) process.stdout.write(toTable(results));
  const failed = results.flatMap(({ rows }) => rows).filter(({ result }) => result === 'failed').length;
  if (mutant !== undefined) {
    say(failed > 0 ? `the mutant ${mutant} was noticed by ${failed} cases` : `no case noticed the mutant ${mutant}`);
    process.exitCode = failed > 0 ? 0 : exit.failed;
  } else if (failed > 0) process.exitCode = exit.failed;
  else if (write) writePage(results);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  say(`${error.message}\n\n${help}`);
  process.exitCode = exit.usage;
}
