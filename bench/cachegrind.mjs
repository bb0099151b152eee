/** Counts instructions with valgrind: far steadier than time, and the same on a busy machine. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from './measure.mjs';

const missing = spawnSync('valgrind', ['--version']).error !== undefined;

/** True if valgrind can be started. */
export const canCount = !missing;

/** The instructions of a command and of all processes that it starts; it gets `input` and must end with exit code 0. */
export async function countInstructions([program, ...args], { input = '', ...place }) {
  const logs = mkdtempSync(join(tmpdir(), 'bridle-valgrind-'));
  const flags = ['--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null', '--trace-children=yes'];
  try {
    await run('valgrind', [...flags, `--log-file=${logs}/%p`, program, ...args], { input, ...place });
    return sumOfCounts(logs);
  } finally {
    rmSync(logs, { recursive: true, force: true });
  }
}

/** The median of five counts. */
export async function medianInstructions(command, place) {
  const counts = [];
  for (let i = 0; i < 5; i++) counts.push(await countInstructions(command, place()));
  return quantile(
    counts.toSorted((a, b) => a - b),
    0.5,
  );
}

/** Runs a command to its end; returns its stdout. */
export function run(program, args, { input, ...place }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, place);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output.stdout);
      else reject(new Error(`${program} ended with ${signal ?? code}: ${output.stderr || output.stdout}`));
    });
    // A program that does not read its input is no failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** Of the processes that have written a log; a process without a figure was replaced by another program. */
function sumOfCounts(logs) {
  let sum = 0;
  for (const name of readdirSync(logs)) {
    const [, figure = '0'] = /I\s+refs:\s+([\d,]+)/.exec(readFileSync(join(logs, name), 'utf8')) ?? [];
    sum += Number(figure.replaceAll(',', ''));
  }
  if (sum === 0) throw new Error('valgrind counted nothing');
  return sum;
}
