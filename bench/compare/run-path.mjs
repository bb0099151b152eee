/**
 * Does a path in this process: `node run-path.mjs <path> <iterations>` ends after so many iterations, for valgrind;
 * `node run-path.mjs <path> bytes` prints how many bytes an iteration allocates on the heap.
 */

import { GCProfiler } from 'node:v8';
import { withFolder } from '../processes.mjs';
import { paths } from './paths.mjs';

const [name, order] = process.argv.slice(2);
const { few, many, open } = paths[name];

await withFolder(async (folder) => {
  const path = await open(folder);
  if (order === 'bytes') {
    await repeat(path, 0, few);
    process.stdout.write(String((await allocated(() => repeat(path, few, many))) / (many - few)));
  } else {
    await repeat(path, 0, Number(order));
  }
  await path.close?.();
});

async function repeat({ next }, from, to) {
  for (let i = from; i < to; i++) await next(i);
}

/** The growth of the heap, whose young generation is so large that nothing is collected meanwhile. */
async function allocated(work) {
  globalThis.gc();
  const profiler = new GCProfiler();
  profiler.start();
  const before = process.memoryUsage().heapUsed;
  await work();
  const bytes = process.memoryUsage().heapUsed - before;
  if (profiler.stop().statistics.length > 0) throw new Error(`${name} allocates too much for the young generation`);
  return bytes;
}
