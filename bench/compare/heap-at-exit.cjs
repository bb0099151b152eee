/** Loaded before a program: writes the size of the heap at its end to the file that BENCH_HEAP_FILE names. */

const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  writeFileSync(process.env.BENCH_HEAP_FILE, String(process.memoryUsage().heapUsed));
});
