/** A turn with one tool call in each framework, guarded and bare. Frameworks cannot be installed together, so each is a process. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from '../../test/frameworks/prepare.mjs';

const frameworks = fileURLToPath(new URL('../../test/frameworks/', import.meta.url));
const program = fileURLToPath(new URL('../adapters/measure-turn.mjs', import.meta.url));

export async function run(pace, emit) {
  for (const name of readdirSync(frameworks).filter((each) => existsSync(`${frameworks}${each}/driver.mjs`))) {
    const node = install(name);
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
    const output = execFileSync(node, [program, `${frameworks}${name}`, JSON.stringify(pace)], options);
    const row = output.split('\n').findLast((line) => line.startsWith('{"suite":'));
    emit({ ...JSON.parse(row), case: name });
  }
}
