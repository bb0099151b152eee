/** `npm run bench:compare`: counts instructions and bytes of the hot paths and compares them with the committed base. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { canCount } from './cachegrind.mjs';
import { readAccepted } from './compare/accepted.mjs';
import { countPath, whatIsCounted } from './compare/count.mjs';
import { faultsOf, judge, movedBase, problemsOf, tolerance } from './compare/judge.mjs';
import { build, say } from './prepare.mjs';
import { aligned, withAccepted } from './report.mjs';

const names = Object.keys(whatIsCounted);
const help = `npm run bench:compare -- [path ...] [options]

Paths (all if none is named):
${names.map((name) => `  ${name.padEnd(17)}${whatIsCounted[name]}`).join('\n')}

Options:
  --write   move the base of each count that is lower now, and write the accepted losses to bench/RESULTS.md
  --help    this text

BRIDLE_DIST=<folder> measures another build, such as dist/ of another checkout.
`;

const major = process.versions.node.split('.')[0];
const platform = `${process.platform} ${process.arch}`;
const baseFile = new URL(`base/node-${major}.json`, import.meta.url);

/** The base of this Node and this kind of machine, if there is one. */
function readBase() {
  if (!existsSync(baseFile)) return undefined;
  const base = JSON.parse(readFileSync(baseFile, 'utf8'));
  return base.platform === platform ? base.paths : undefined;
}

/** Those that take longest, in this order: they start first, so that all cores have work until the end. */
const longest = ['durable step', 'turn', 'facts of a line', 'journal record', 'hook'];

/** As many paths at once as there are cores: other programs do not change what is counted. */
async function countAll(chosen) {
  const counted = {};
  const waiting = [...new Set([...longest.filter((name) => chosen.includes(name)), ...chosen])];
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      counted[name] = await countPath(name);
      say(`counted: ${name}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return Object.fromEntries(chosen.map((name) => [name, counted[name]]));
}

function withoutSpread(counted) {
  return Object.fromEntries(
    Object.entries(counted).map(([name, { instructions, bytes }]) => [
      name,
      { instructions: instructions?.count, bytes: bytes.count },
    ]),
  );
}

function table(counted, judged) {
  const cell = (path, unit) => {
    const { count, base, ratio } = judged.find((each) => each.path === path && each.unit === unit) ?? {};
    if (count === undefined) return ['–', '', '', ''];
    const was = base === undefined ? ['no base', ''] : [base.toLocaleString('en'), `${ratio.toFixed(2)}×`];
    return [count.toLocaleString('en'), `±${(counted[path][unit].spread * 100).toFixed(1)}%`, ...was];
  };
  const head = ['', 'instructions', '', 'base', '', 'bytes', '', 'base', ''];
  const rows = Object.keys(counted).map((path) => [path, ...cell(path, 'instructions'), ...cell(path, 'bytes')]);
  return aligned([head, ...rows]).join('\n');
}

function writeBase(base, judged) {
  const content = { node: process.versions.node, platform, paths: movedBase(base, judged) };
  writeFileSync(baseFile, `${JSON.stringify(content, undefined, 2)}\n`);
  const results = new URL('RESULTS.md', import.meta.url);
  writeFileSync(results, withAccepted(readFileSync(results, 'utf8')));
  say(`wrote bench/base/node-${major}.json`);
}

async function compare({ chosen, write }) {
  const accepted = readAccepted();
  const problems = problemsOf(accepted, names);
  if (problems.length > 0) throw new Error(`bench/accepted.json: ${problems.join('; ')}`);
  if (process.env.BRIDLE_DIST === undefined) build();
  const counted = await countAll(chosen);
  const base = readBase();
  const judged = judge(withoutSpread(counted), base ?? {}, accepted);
  process.stdout.write(`${table(counted, judged)}\n\n`);
  if (!canCount) say('There is no valgrind, so only bytes were counted.');
  if (write) writeBase(base ?? {}, judged);
  else report(judged, base);
}

function report(judged, base) {
  if (base === undefined) {
    say(`There is no base for Node ${major} on ${platform}. To write one: npm run bench:compare -- --write`);
    return;
  }
  const listed = (state) => judged.filter((each) => each.state === state).map(({ path, unit }) => `${path} (${unit})`);
  const [better, accepted] = [listed('better'), listed('accepted')];
  if (better.length > 0) say(`better than their base: ${better.join(', ')}; move it: npm run bench:compare -- --write`);
  if (accepted.length > 0) say(`accepted losses: ${accepted.join(', ')}`);
  const faults = faultsOf(judged);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  say(`no count is above ${tolerance}× of its base`);
}

function readArgs() {
  const options = { write: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no path "${unknown}"; there are ${names.join(', ')}`);
  return { ...values, chosen: positionals.length > 0 ? [...new Set(positionals)] : names };
}

try {
  const args = readArgs();
  if (args.help) process.stdout.write(help);
  else await compare(args);
} catch (error) {
  say(`bench:compare: ${error.message}`);
  process.exitCode = 1;
}
