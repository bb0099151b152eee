/** A turn with one tool call in each framework, guarded and bare. Frameworks cannot be installed together, so each is a process. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from '../../test/frameworks/prepare.mjs';
import { allowedToAdd } from '../goals.mjs';

const frameworks = fileURLToPath(new URL('../../test/frameworks/', import.meta.url));
const program = fileURLToPath(new URL('../adapters/measure-turn.mjs', import.meta.url));

export async function run(pace, emit) {
  const added = [];
  for (const name of readdirSync(frameworks).filter((each) => existsSync(`${frameworks}${each}/driver.mjs`))) {
    const node = install(name);
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
    const output = execFileSync(node, [program, `${frameworks}${name}`, JSON.stringify(pace)], options);
    const row = { ...JSON.parse(output.split('\n').findLast((line) => line.startsWith('{"suite":'))), case: name };
    emit(row);
    added.push(addedCells(row));
  }
  const table = [['the guard adds', 'time', 'of the turn', 'allowed', 'goal', 'floor'], ...added];
  emit({ suite: 'adapters', case: 'what the guard adds', table });
}

function addedCells({ case: name, ours, limit, limits }) {
  const added = ours - limit;
  const allowed = allowedToAdd(limit);
  const part = `${Math.round((added / limit) * 100)} %`;
  const floor = limits['limit floor'];
  const least = floor === undefined ? '–' : microseconds(floor - limit);
  return [name, microseconds(added), part, microseconds(allowed), added <= allowed ? 'met' : 'missed', least];
}

function microseconds(ns) {
  return `${Math.round(ns / 1000).toLocaleString('en')} µs`;
}
