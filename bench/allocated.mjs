/** Counts the bytes that `work` allocates on the heap; undefined if something was collected meanwhile. Needs `--expose-gc`. */

import { GCProfiler } from 'node:v8';

export async function allocated(work) {
  globalThis.gc();
  const profiler = new GCProfiler();
  profiler.start();
  const before = process.memoryUsage().heapUsed;
  await work();
  const bytes = process.memoryUsage().heapUsed - before;
  return profiler.stop().statistics.length === 0 ? bytes : undefined;
}
