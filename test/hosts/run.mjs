/** `npm run test:hosts`: runs the real coding agents with Bridle installed, offline, and reports what was enforced. */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cases } from './cases.mjs';
import { drivers } from './driver.mjs';
import { namespaceProblem } from './namespace.mjs';
import { build, installAgents, say } from './prepare.mjs';
import { toTable, writePage } from './report.mjs';
import { runAll } from './schedule.mjs';

const exit = { failed: 1, usage: 2, noNamespaces: 3 };
const hostNames = Object.keys(drivers);
const help = `npm run test:hosts -- [host ...] [options]

Hosts (all if none is named): ${hostNames.join(', ')}

Options:
  --case <name>    only this case; may be repeated
  --write          a full run, written to docs/reference/hosts.md
  --json           one JSON line per case
  --clis <folder>  a node_modules folder that has the coding agents already
  --keep           keep the folders of the runs, and print them
  --list           the cases
  --help           this text

Needs Linux on x64 with network namespaces: as root, or where users may create them. The first run installs the coding agents.
Exit codes: 0 all cases passed · ${exit.failed} a case failed · ${exit.usage} wrong usage ·
  ${exit.noNamespaces} network namespaces are not permitted, so nothing was run
`;

class UsageError extends Error {}

function readArgs() {
  const flag = { type: 'boolean', default: false };
  const options = {
    case: { type: 'string', multiple: true, default: [] },
    clis: { type: 'string' },
    ...Object.fromEntries(['write', 'json', 'keep', 'list', 'help'].map((name) => [name, flag])),
  };
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message, { cause: error });
  }
  const { values, positionals } = parsed;
  check('host', positionals, hostNames);
  check('case', values.case, caseNames());
  if (values.write && positionals.length + values.case.length > 0) throw new UsageError('--write takes a full run');
  return { ...values, hosts: orAll(positionals, hostNames), names: orAll(values.case, caseNames()) };
}

function check(kind, given, known) {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`there is no ${kind} "${unknown}"; there are ${known.join(', ')}`);
}

function orAll(chosen, all) {
  return chosen.length > 0 ? all.filter((name) => chosen.includes(name)) : all;
}

function caseNames() {
  return cases.map(({ name }) => name);
}

function listCases() {
  return cases.map(({ name, title }) => `  ${name.padEnd(20)}${title}\n`).join('');
}

function versionOf(clis, host) {
  const { version } = JSON.parse(readFileSync(`${clis}/${drivers[host].package}/package.json`, 'utf8'));
  return version.replace('-linux-x64', '');
}

async function test({ hosts, names, json, write, keep, clis = installAgents() }) {
  build();
  const results = [];
  const add = (row) => {
    results.push(row);
    if (json) process.stdout.write(`${JSON.stringify(row)}\n`);
    else say(toLine(row));
  };
  const versions = Object.fromEntries(hosts.map((host) => [host, versionOf(clis, host)]));
  const jobs = [];
  for (const { name, skip } of cases.filter((each) => names.includes(each.name))) {
    for (const host of hosts) {
      const limit = skip?.(drivers[host], host);
      if (limit === undefined) jobs.push({ host, name });
      else add({ host, version: versions[host], case: name, result: 'skipped', detail: limit });
    }
  }
  await runAll(jobs, {
    clis,
    keep,
    onOutcome: ({ host, name }, outcome) => add({ host, version: versions[host], case: name, ...outcome }),
  });
  if (!json) process.stdout.write(`\n${toTable(results)}\n`);
  if (write) writePage(results);
  if (results.some(({ result }) => result === 'fail')) process.exitCode = exit.failed;
}

function toLine({ host, case: name, result, seconds, detail, folder }) {
  const time = seconds === undefined ? '' : ` ${seconds.toFixed(1)} s`;
  return `${host.padEnd(10)}${name.padEnd(20)}${result}${time}${detail === undefined ? '' : `: ${detail}`}${result === 'fail' ? `\n  ${folder}` : ''}`;
}

async function main() {
  const args = readArgs();
  if (args.help) return process.stdout.write(help);
  if (args.list) return process.stdout.write(listCases());
  const problem = namespaceProblem();
  if (problem === undefined) return test(args);
  say(`test:hosts: skipped, because the coding agents must not reach the network: ${problem}`);
  process.exitCode = exit.noNamespaces;
  return undefined;
}

try {
  await main();
} catch (error) {
  say(`test:hosts: ${error.message}`);
  process.exitCode = error instanceof UsageError ? exit.usage : exit.failed;
}
