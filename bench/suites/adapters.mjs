/** A turn with one tool call in each framework, guarded and bare. Frameworks cannot be installed together, so each is a process. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from '../../test/frameworks/prepare.mjs';
import { isolation } from '../../test/frameworks/run-suite.mjs';
import { allowedToAdd } from '../goals.mjs';
import { blaming } from '../measure.mjs';

const frameworks = fileURLToPath(new URL('../../test/frameworks/', import.meta.url));
const program = fileURLToPath(new URL('../adapters/measure-turn.mjs', import.meta.url));

export async function run(pace, emit) {
  const added = [];
  for (const name of readdirSync(frameworks).filter((each) => existsSync(`${frameworks}${each}/driver.mjs`))) {
    const row = await blaming(name, () => measure(name, pace));
    emit(row);
    added.push(addedCells(row));
  }
  const table = [['the guard adds', 'time', 'of the turn', 'allowed', 'goal', 'floor'], ...added];
  emit({ suite: 'adapters', case: 'what the guard adds', table });
}

function measure(name, pace) {
  const [command, ...args] = [...isolation(), install(name), program, `${frameworks}${name}`, JSON.stringify(pace)];
  const output = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const row = JSON.parse(output.split('\n').findLast((line) => line.startsWith('{"suite":')));
  return { ...row, case: row.isPart ? `${name} without its program` : name };
}

function addedCells({ case: name, ours, limit, limits, isPart }) {
  const added = ours - limit;
  const allowed = allowedToAdd(limit);
  const part = `${Math.round((added / limit) * 100)} %`;
  const floor = limits['limit floor'];
  const least = floor === undefined ? '–' : microseconds(floor - limit);
  const goal = isPart ? ['–', '–'] : [microseconds(allowed), added <= allowed ? 'met' : 'missed'];
  return [name, microseconds(added), part, ...goal, least];
}

function microseconds(ns) {
  return `${Math.round(ns / 1000).toLocaleString('en')} µs`;
}
