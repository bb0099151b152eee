/** Counts the instructions and the allocated bytes of one pass through each hot path. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canCount, countInstructions, run } from '../cachegrind.mjs';
import { quantile } from '../measure.mjs';
import { environment, node, prepareCheck, prepareHook, withFolder } from '../processes.mjs';
import { paths } from './paths.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Counts with a smaller spread agree: most differ by less than a thousandth. */
const agreement = 0.005;

/** No other threads, and a young generation so large that nothing is collected: the order of events is the same in every run. */
const steady = ['--single-threaded', '--predictable', '--min-semi-space-size=512', '--max-semi-space-size=512'];

/** Counts a path: `{ instructions?, bytes }`, each `{ count, spread }`. Without valgrind there are no instructions. */
export function countPath(name) {
  if (name === 'check') return withFolder(countCheck);
  if (name === 'hook') return withFolder(countHook);
  return countInProcess(paths[name], name);
}

export const whatIsCounted = {
  ...Object.fromEntries(Object.entries(paths).map(([name, { what }]) => [name, what])),
  check: 'a process of `bridle check` for one call',
  hook: 'all processes of one call of the hook of Claude Code; bytes: of the handler alone',
};

async function countInProcess({ few, many, parts = 1, isOptimised = false }, name) {
  const flags = [...steady, ...(isOptimised ? [] : ['--no-opt'])];
  const script = [file('run-path.mjs'), name];
  const environ = environment();
  if (process.env.BRIDLE_DIST !== undefined) environ.BRIDLE_DIST = process.env.BRIDLE_DIST;
  const place = { env: environ };
  const upTo = (iterations) => countInstructions([node, ...flags, ...script, String(iterations)], place);
  // Counts of the same process differ by a thousandth, so one of the start is enough.
  const countFrom = (start) => median(async () => ((await upTo(many)) - start) / ((many - few) * parts));
  return {
    instructions: canCount ? await countFrom(await upTo(few)) : undefined,
    bytes: await median(async () => {
      const bytes = await run(node, ['--expose-gc', ...flags, ...script, 'bytes'], place);
      return Number(bytes) / parts;
    }),
  };
}

function countCheck(folder) {
  const { place, start } = prepareCheck(folder);
  return countProcess({ counted: [node, ...steady, ...start], program: start, given: () => place });
}

/** The flags cannot be given to the process that the wrapper starts, so its instructions differ a little from run to run. */
function countHook(folder) {
  const { place, handler, wrapper, payload } = prepareHook(folder);
  return countProcess({
    counted: [wrapper],
    program: handler,
    given: () => ({ ...place, input: payload('git status') }),
  });
}

async function countProcess({ counted, program, given }) {
  const instructions = () => countInstructions(counted, given());
  const heap = () => heapAtExit(program, given());
  const empty = await heapAtExit(['-e', '0'], given());
  return {
    instructions: canCount ? await medianWarm(instructions) : undefined,
    bytes: await medianWarm(async () => (await heap()) - empty),
  };
}

/** What a process has allocated until its end. */
function heapAtExit(args, { env, ...given }) {
  return withFolder(async (folder) => {
    const written = join(folder, 'heap');
    const preload = ['--require', file('heap-at-exit.cjs')];
    await run(node, [...steady, ...preload, ...args], { ...given, env: { ...env, BENCH_HEAP_FILE: written } });
    return Number(readFileSync(written, 'utf8'));
  });
}

/** The first two processes of a kind keep compiled code for the others. Flags make another kind, and so does valgrind. */
async function medianWarm(count) {
  for (let i = 0; i < 2; i++) await count();
  return median(count);
}

/** The median of five, or of the first three if they agree. */
async function median(count) {
  const counts = [];
  while (counts.length < 3 || (counts.length < 5 && spreadOf(counts) > agreement)) counts.push(await count());
  return { count: Math.round(middleOf(counts)), spread: spreadOf(counts) };
}

/** Half the distance from the least to the greatest count, as a part of the median. */
function spreadOf(counts) {
  return (Math.max(...counts) - Math.min(...counts)) / 2 / middleOf(counts);
}

function middleOf(counts) {
  return quantile(
    counts.toSorted((a, b) => a - b),
    0.5,
  );
}
