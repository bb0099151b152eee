/**
 * Measures one framework in this process: `node measure-turn.mjs <folder of its driver> <pace>`. Prints a row.
 * The figures are CPU time, so that other programs on the machine disturb them less.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { floors } from './floors.mjs';
import { compareRunners, Runner, sink, toRow, warmCalls } from '../measure.mjs';

const [folder, given] = process.argv.slice(2);
const { rounds, roundMs, budgetMs, ...others } = JSON.parse(given);
// A turn takes much longer than the calls of other suites, and the garbage collector must run in every round.
const pace = { ...others, rounds, roundMs: roundMs * 5, budgetMs: budgetMs * 5 };
const { driver } = await import(pathToFileURL(join(folder, 'driver.mjs')).href);
const [{ allow }, adapter] = await Promise.all(['bridle', `bridle/${driver.entry}`].map((each) => driver.load(each)));

class CpuRunner extends Runner {
  async round() {
    const start = cpuMicroseconds();
    for (let i = 0; i < this.batch; i++) sink.value = await this.call(i);
    return (cpuMicroseconds() - start) * 1000;
  }
}

function cpuMicroseconds() {
  const { user, system } = process.cpuUsage();
  return user + system + (driver.startsProcess ? microsecondsOfChildren() : 0);
}

/** The time of processes that have ended. Linux counts it in hundredths of a second. */
function microsecondsOfChildren() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}

/** The model calls a tool and then says that it is done, again and again. */
function endlessScript() {
  let answers = 0;
  return {
    next: () =>
      answers++ % 2 === 0
        ? { toolCalls: [{ id: `c${answers}`, tool: 'add', args: { a: 1, b: 2 } }] }
        : { text: 'done' },
  };
}

/** The driver begins a conversation in every turn and keeps no records: only the framework's own work is measured. */
async function contestant(name, guard, own = adapter) {
  let ran = 0;
  const { z } = driver;
  const execute = async ({ a, b }) => {
    ran++;
    return String(a + b);
  };
  const schema = z.object({ a: z.number(), b: z.number() });
  const tools = [{ name: 'add', description: 'Adds two numbers.', schema, execute }];
  const agent = await driver.open({ guard, adapter: own, tools, script: endlessScript(), isMeasured: true });
  const call = async () => {
    ran = 0;
    const { text } = await agent.run('What is 1 + 2?');
    if (text !== 'done' || ran !== 1) throw new Error(`the turn of ${name} did not run: ${text}`);
  };
  return { name, call };
}

const guard = adapter.createGuard({ policy: [allow('add')], journal: { append: () => undefined } });
const contestants = [await contestant('bridle', guard), await contestant('limit', undefined)];
const floor = floors[driver.entry];
if (floor !== undefined) contestants.push(await contestant('limit floor', guard, floor));
// A turn is a long path: it takes thousands of turns until it is compiled. All contestants share code, so they take turns.
// A process costs much more than the code around it, so it needs no such warm-up.
if (!driver.startsProcess) {
  const until = performance.now() + pace.warmMs * 60 * contestants.length;
  while (performance.now() < until) await warmCalls(contestants, 100);
}
const runners = contestants.map((each) => new CpuRunner(each));
const row = toRow('adapters', driver.name, await compareRunners(runners, pace));
console.log(JSON.stringify({ ...row, isPart: driver.startsProcess === false }));
process.exit(0);
