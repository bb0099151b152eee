/** `npm run bench -- --smoke`: does every contestant of every suite still answer? Takes no figures. */

import { availableParallelism } from 'node:os';
import { say } from './prepare.mjs';

/** Against hanging only. The first run of `adapters` also installs the frameworks. */
const limitMs = 15 * 60_000;

/** Runs the suites, as many at once as there are cores, and returns one line for each thing that is wrong. */
export async function smoke(names, runSuite) {
  // Those that take longest are the last of the list: they start first, so that all cores have work until the end.
  const waiting = names.toReversed();
  const faults = [];
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      faults.push(...(await smokeSuite(name, runSuite)));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return faults;
}

async function smokeSuite(name, runSuite) {
  const rows = [];
  const started = performance.now();
  const faults = [];
  try {
    await runSuite(name, 'smoke', { onRow: (row) => rows.push(row), limitMs });
    if (rows.length === 0) faults.push('it measured nothing');
  } catch (error) {
    faults.push(error.message);
  }
  const answers = rows.filter(({ table }) => table === undefined).flatMap(answersOf);
  faults.push(...answers.filter(({ fault }) => fault !== undefined).map(({ name: who, fault }) => `${who}: ${fault}`));
  const contestants = new Set(answers.map((answer) => answer.name));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(
    `${faults.length === 0 ? '✓' : '✗'} ${name}: cases ${rows.length}, contestants ${contestants.size}, ${seconds} s`,
  );
  return faults.map((fault) => `${name}: ${fault}`);
}

/** Each contestant of a row, and why it has no figure. */
function answersOf({ case: title, ours, limit, limits, peers, skipped }) {
  return Object.entries({ bridle: ours, limit, ...limits, ...peers }).map(([name, figure]) => {
    if (Object.hasOwn(skipped, name)) return { name, fault: `skipped in "${title}": ${skipped[name]}` };
    return { name, fault: Number.isFinite(figure) ? undefined : `no answer in "${title}"` };
  });
}
